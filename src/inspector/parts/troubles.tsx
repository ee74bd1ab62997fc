import type {
  JournalEntry,
  ListedFault,
  ListedRecord,
  PendingOutcome,
  Timelines,
} from '../../core/generated/controls.ts'
import { useControl, useLive } from '../live.ts'
import { page } from '../page.ts'
import { getErrorCode } from '../search.ts'
import { formatCount, formatTime } from '../shared/format.ts'
import { Card } from '../shared/layout.tsx'
import { listFailingDomains } from './failing-domains.tsx'
import { FaultText } from './faults.tsx'
import { KINDS, MAX_OF_EACH_KIND, type Trouble, TroubleRow } from './trouble.tsx'

/** The number of domains that are checked, failing ones first. */
const MAX_DOMAINS = 50

interface Certificates {
  readonly tls_certificates: readonly {
    readonly id: string
    readonly subject_common_name: string
    /** Null for an upload. */
    readonly issued_at: string | null
    readonly not_after: string
  }[]
}

/** The likely mistakes that the state shows: the cause, where it is, and a button that fixes it. Without mistakes there is no card. */
export function Troubles() {
  const loaded = useLive(
    () =>
      Promise.all([
        page.control<Timelines>('GET', `/timelines?order=failing&limit=${MAX_DOMAINS}`),
        page.control<PendingOutcome[]>('GET', '/provisioning/script'),
        page.control<ListedFault[]>('GET', '/faults'),
        page.connection.service<Certificates>('GET', '/tls_certificates'),
      ]),
    [],
  )
  const { overview, journal } = page
  if (!overview || !loaded) return null
  const [domains, outcomes, faults, certificates] = loaded
  // The page may have more requests than the server, for example from before a restart.
  const isWhole = overview.requests >= journal.length
  const isUnmoved = overview.manual && overview.next && isWhole && journal.at(-1)?.at === overview.now
  const lists: Trouble[][] = [
    listFailingDomains(domains),
    certificates.tls_certificates
      .filter(({ issued_at, not_after }) => !issued_at && Date.parse(not_after) <= page.now)
      .map(({ id, subject_common_name: name, not_after }) => ({
        kind: 'broken',
        cause: `The uploaded certificate expired at ${formatTime(not_after)}.`,
        about: <a href={`#resources/tls_certificates/${id}`}>{name || id}</a>,
      })),
    overview.waiting.map(({ operationId, until }) => ({
      kind: 'waiting',
      cause: `A client waits until ${formatTime(until)}, because of a fault.`,
      about: <a href={`#requests/${operationId}`}>{operationId}</a>,
    })),
    listRefusals(journal),
    faults
      .filter(({ missed }) => missed)
      .map((fault) => ({
        kind: 'unused',
        cause: 'A fault waits for its request.',
        about: <FaultText fault={fault} />,
        fix: { label: 'Remove the fault', calls: [['DELETE', '/faults', { id: fault.id }]] },
      })),
    outcomes.map(({ domain, outcome }) => ({
      kind: 'unused',
      cause: 'No attempt has taken this outcome yet.',
      about: <a href="#faults">{`${outcome} for ${domain ?? 'any domain'}`}</a>,
    })),
    isUnmoved
      ? [
          {
            kind: 'unused',
            cause: 'The clock has not moved since the oldest request of the journal.',
            about: `Next: ${formatTime(overview.next?.at ?? '')}.`,
          },
        ]
      : [],
  ]
  const troubles = lists.flatMap((each) => each.slice(0, MAX_OF_EACH_KIND))
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
