import { type ComponentChildren, Fragment } from 'preact'
import type { Trouble } from '../../generated/controls.ts'
import { useLive } from '../live.ts'
import { inState } from '../live-value.ts'
import { page } from '../page.ts'
import { Button } from '../shared/controls.tsx'
import { formatCount, formatRelative, formatTimes } from '../shared/format.ts'
import { Known } from '../shared/known.tsx'
import { Card, Chip, Fold, type Tone } from '../shared/layout.tsx'

/** The kinds of problems, worst first, with their colors. */
const KINDS = {
  broken: 'bad',
  waiting: 'busy',
  risk: 'warn',
  rejected: 'warn',
  cancelled: 'warn',
  unused: 'dim',
  injected: 'dim',
  fixed: 'good',
} as const

/** The label of the button that makes one call, by the path of the call. */
const FIXES: Readonly<Record<string, string>> = {
  '/dns': 'Fix the record',
  '/provisioning/attempt': 'Run the attempt now',
  '/provisioning/script': 'Remove the outcome',
  '/faults': 'Remove the fault',
  '/clock': 'Advance the clock',
  '/agent': 'Start the agent',
}

/** The likely mistakes found by the gateway: the cause, its location, and a button to fix it. */
export function Troubles() {
  const { overview } = page
  const load = () => page.control<Trouble[]>('GET', '/troubles')
  const live = useLive('/troubles', load, [overview?.requests, overview?.traffic, overview?.waiting.length])
  const summarize = (listed: readonly Trouble[]) =>
    groupByKind(listed).flatMap(({ kind, count }) => (count > 0 ? `${formatCount(count)} ${kind}` : []))
  return (
    <Card title="Worth a look" note={inState(live, [], [], summarize).join(', ')} wide>
      <Known of={live}>
        {(listed) => (
          <>
            {listed.length === 0 && <p class="dim">No problems found.</p>}
            {groupByKind(listed).map(({ kind, tone, all, own }) => {
              const rows = own.map((each, at) => <TroubleRow key={kind + at} trouble={each} tone={tone} />)
              const first = DISMISSIBLE.test(kind) ? MAX_ROWS : rows.length
              return (
                <Fragment key={kind}>
                  {rows.length > 0 && <ul>{rows.slice(0, first)}</ul>}
                  {rows.length > first && (
                    <Fold title={`${formatCount(rows.length - first)} more ${kind}`}>
                      <ul>{rows.slice(first)}</ul>
                    </Fold>
                  )}
                  {DISMISSIBLE.test(kind) && <Dismiss kind={kind} all={all} own={own} />}
                </Fragment>
              )
            })}
          </>
        )}
      </Known>
    </Card>
  )
}

/** Returns the existing kinds, worst first, with all their problems, and with the problems that the user has not dismissed. */
function groupByKind(listed: readonly Trouble[]) {
  const kinds = Object.entries(KINDS).map(([kind, tone]) => {
    const all = listed.filter((each) => each.kind === kind)
    const own = all.filter((each) => !page.dismissedTroubles.includes(keyOf(each)))
    return { kind, tone, all, own, count: own.reduce((sum, { count }) => sum + count, 0) }
  })
  return kinds.filter(({ all }) => all.length > 0)
}

/** Kinds that a client may cause by the dozen on purpose. */
const DISMISSIBLE = /^(rejected|cancelled)$/

/** The number of rows of such a kind that are not folded. */
const MAX_ROWS = 5

/** Returns a string that differs each time the problem recurs, and from those of other gateways. */
const keyOf = ({ cause, count }: Trouble) => [page.gateway?.url, page.gateway?.started, count, cause].join(' ')

/** Hides the rows of a kind until one recurs, or shows them again. */
function Dismiss({ kind, all, own }: { kind: string; all: readonly Trouble[]; own: readonly Trouble[] }) {
  const { dismissedTroubles: known } = page
  const keys = all.map(keyOf)
  const hide = () => page.dismissTroubles([...known, ...keys])
  const show = () => page.dismissTroubles(known.filter((each) => !keys.includes(each)))
  return (
    <div class="row">
      {own.length > 0 ? (
        <Button kind="quiet" onClick={hide}>
          Dismiss all {kind}
        </Button>
      ) : (
        <Button kind="quiet" onClick={show}>
          Show {formatCount(all.length)} dismissed
        </Button>
      )}
    </div>
  )
}

/** A sentence, which may quote others. A cause starts with the problem. Further sentences state what was found and what to do. */
const SENTENCE = /(?:"(?:[^"\\]|\\.)*"|.)+?(?:(?<=[.?!])(?= (?:[A-Z"\d]|[a-z]+_\w{20}))|$)/gs

function TroubleRow({ trouble, tone }: { trouble: Trouble; tone: Tone }) {
  const { kind, count, cause, about, search, due, id, fix = [] } = trouble
  const [first] = about
  // If there are many rows, the last one shows the places of several causes.
  const isRest = cause.startsWith('And ')
  const ofDomains = first?.collection === 'reserved_domains' && count > 1 && !isRest
  const ofRequests = ['requests', 'traffic', 'agent', 'other_hosts'].includes(first?.collection ?? '')
  const more = ofRequests ? 0 : count - about.length
  // A domain without a policy has no job. It is changed on its own page.
  const hasJob = due !== undefined || fix.length > 0
  const [problem = '', ...details] = formatTimes(cause).match(SENTENCE) ?? []
  const label = FIXES[[...new Set(fix.map(({ path }) => path))].join()] ?? 'Fix the problem'
  return (
    <li class="record trouble">
      <Chip tone={tone}>{kind}</Chip>
      <div>
        <p class={`cause ${tone}`}>
          {ofDomains && `${formatCount(count)} domains: `}
          {ofDomains ? problem.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()) : problem}
        </p>
        {details.map((each) => (
          <p key={each}>{each}</p>
        ))}
        <p class="dim">
          {ofRequests &&
            count > 1 &&
            !isRest && [
              <Place
                key="all"
                to={search ? `#requests?q=${encodeURIComponent(search)}` : linkTo({ ...first, key: '' })}
              >
                {formatCount(count)} requests
              </Place>,
              ', the last: ',
            ]}
          {about.flatMap((each, at) => [
            at > 0 && ', ',
            <Place key={each.key} to={linkTo(each, hasJob)}>
              {each.name}
            </Place>,
          ])}
          {more > 0 && [
            ' and ',
            <Place key="more" to={linkTo({ ...first, key: '' }, hasJob)}>
              {formatCount(more)} more
            </Place>,
          ]}
          {due && `; next: ${formatRelative(due, page.now)}`}
        </p>
      </div>
      {fix.length > 0 && (
        <Button onClick={() => page.control('POST', '/troubles/fix', { id })}>
          {fix.length > 1 ? label.replace(/the (\w+)/, 'all $1s') : label}
        </Button>
      )}
    </li>
  )
}

/** The tabs that show something other than a family's records. */
const PLACES: Readonly<Record<string, string>> = {
  requests: 'requests',
  traffic: 'traffic',
  faults: 'faults',
  'provisioning/script': 'faults',
  agent: 'traffic',
}

/** A link, or only its text if no page shows the location. */
function Place({ to, children }: { to: string | undefined; children: ComponentChildren }) {
  return to ? <a href={to}>{children}</a> : <code>{children}</code>
}

/** Returns the address of a location, or undefined if the page does not show it. */
function linkTo({ collection = '', key }: Partial<Trouble['about'][number]>, hasJob = false): string | undefined {
  if (collection === 'other_hosts') return undefined
  if (collection === 'reserved_domains' && hasJob) return key ? `#jobs/${key}` : '#jobs?state=failing'
  const place = PLACES[collection] ?? `resources/${collection}`
  return place === 'faults' || collection === 'agent' || !key ? `#${place}` : `#${place}/${key}`
}
