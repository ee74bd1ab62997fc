import type { JournalEntry, Trouble as Listed, ListedRecord } from '../../core/generated/controls.ts'
import { useControl } from '../live.ts'
import { page } from '../page.ts'
import { getErrorCode } from '../search.ts'
import { formatCount, formatRelative, formatTimes } from '../shared/format.ts'
import { Card } from '../shared/layout.tsx'
import { KINDS, MAX_OF_EACH_KIND, type Trouble, TroubleRow } from './trouble.tsx'

/** The text of the button that sends a call, for one call and for several. */
const FIXES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  '/dns': ['Fix the record', 'Fix # records'],
  '/provisioning/attempt': ['Run the attempt now', 'Run # attempts now'],
  '/provisioning/script': ['Remove the outcome', 'Remove # outcomes'],
  '/faults': ['Remove the fault', 'Remove # faults'],
}

/** The likely mistakes that the state shows: the cause, where it is, and a button that fixes it. Without mistakes there is no card. */
export function Troubles() {
  const listed = useControl<Listed[]>('/troubles')
  if (!listed) return null
  const faults = new Set(listed.flatMap(({ about }) => about.map(({ key }) => key)))
  const refusals = listRefusals(page.journal.filter(({ fault }) => !faults.has(fault ?? '')))
  const others = refusals.length - MAX_OF_EACH_KIND
  const troubles = [
    ...listed.map(showTrouble),
    ...refusals.slice(0, MAX_OF_EACH_KIND),
    ...(others > 0
      ? [
          {
            kind: 'refused' as const,
            cause: `And ${others} more refusals.`,
            about: <a href="#requests">all requests</a>,
          },
        ]
      : []),
  ]
  if (troubles.length === 0) return null
  const kinds = Object.entries(KINDS).map(([kind, tone]) => {
    const own = troubles.filter((each) => each.kind === kind)
    return { kind, tone, own, count: own.reduce((sum, { count = 1 }) => sum + count, 0) }
  })
  const summary = kinds.flatMap(({ kind, count }) => (count > 0 ? `${formatCount(count)} ${kind}` : []))
  return (
    <Card title="Worth a look" note={summary.join(', ')} wide>
      <ul>
        {kinds.flatMap(({ tone, own }) =>
          own.map((each, at) => <TroubleRow key={each.kind + at} trouble={each} tone={tone} />),
        )}
      </ul>
    </Card>
  )
}

function showTrouble({ kind, count, cause, about, due, fix = [] }: Listed): Trouble {
  const [first] = about
  const ofDomains = first?.collection === 'reserved_domains' && count > 1 && first.key !== ''
  const more = first?.key === '' ? 0 : count - about.length
  const [one, many] = FIXES[fix[0]?.path ?? ''] ?? ['']
  return {
    kind,
    count,
    cause: formatTimes(
      ofDomains
        ? `${formatCount(count)} domains: ${cause.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`
        : cause,
    ),
    about: (
      <>
        {about.flatMap((each, at) => [
          at > 0 && ', ',
          <a key={each.key} href={linkTo(each)}>
            {each.name}
          </a>,
        ])}
        {more > 0 && [
          ' and ',
          <a key="more" href={linkTo({ ...first, key: '' })}>
            {formatCount(more)} more
          </a>,
        ]}
        {due && `; next: ${formatRelative(due, page.now)}`}
      </>
    ),
    fix:
      one && fix.length > 0
        ? {
            label: fix.length === 1 ? one : `${many}`.replace('#', `${fix.length}`),
            calls: fix.map(({ method, path, body }) => [method, path, body]),
          }
        : undefined,
  }
}

function linkTo({ collection, key }: Partial<Listed['about'][number]>): string {
  if (collection === 'reserved_domains') return key ? `#jobs/${key}` : '#jobs?state=failing'
  if (collection === 'requests') return `#requests/${key}`
  return collection === 'tls_certificates' ? `#resources/${collection}/${key}` : '#faults'
}

/** The refusals of requests, by operation and code, and the requests for unknown paths. */
function listRefusals(journal: readonly JournalEntry[]): Trouble[] {
  const groups = new Map<string, { readonly last: JournalEntry; count: number }>()
  for (const entry of journal) {
    const { status, operation } = entry
    if (status < 400) continue
    const code = getErrorCode(entry)
    const word = operation === null ? 'op:none' : `op:${operation} ${code ? `code:${code}` : `status:${status}`}`
    const known = groups.get(word)
    if (known) known.count++
    else groups.set(word, { last: entry, count: 1 })
  }
  return [...groups].map(([word, { last, count }]) => ({
    kind: last.fault ? 'injected' : 'refused',
    count,
    cause: last.problem ?? String(Object(last.response).msg),
    about: (
      <>
        <a href={`#requests?q=${encodeURIComponent(word)}`}>
          {last.status} × {count}
        </a>
        , the last: {last.method} {last.path}
        {last.status === 404 && last.operation && <OtherPlaces name={last.operation.replace(/\..*/, '')} />}
      </>
    ),
  }))
}

/** The places where a module is set that a request did not find. */
function OtherPlaces({ name }: { name: string }) {
  const { service } = page
  const found = useControl<ListedRecord[]>(`/records?collection=${name}`) ?? []
  if (found.length === 0 || service?.families.find((each) => each.name === name)?.list) return null
  return (
    <>
      . There is one at{' '}
      {found.slice(0, MAX_OF_EACH_KIND).map(({ key }) => (
        <a key={key} href={service?.linkToRecord(name, key) ?? ''}>
          {key}{' '}
        </a>
      ))}
    </>
  )
}
