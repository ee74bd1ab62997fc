import type { ComponentChildren } from 'preact'
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
import { formatTime, formatTimes } from '../shared/format.ts'
import { Card, DefinitionList } from '../shared/layout.tsx'
import { FaultText } from './faults.tsx'

/** The maximum number of rows of each kind. */
const MAX_OF_EACH_KIND = 8

/** The number of domains that are checked, failing ones first. */
const MAX_DOMAINS = 20

interface Trouble {
  readonly place: string
  readonly what: string
  readonly why: ComponentChildren
}

interface Certificates {
  readonly tls_certificates: readonly {
    readonly id: string
    readonly subject_common_name: string
    /** Null for an upload. */
    readonly issued_at: string | null
    readonly not_after: string
  }[]
}

/** The likely mistakes that the state shows, each with a link. Without mistakes there is no card. */
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
  const troubles: Trouble[] = [
    overview.waiting.map(({ operationId, until }) => ({
      place: `requests/${operationId}`,
      what: 'A client waits',
      why: `until ${formatTime(until)}, because of a fault.`,
    })),
    domains.timelines.flatMap(({ id, domain, state, problem, records, timeline }) => {
      const last = state.includes('failing') ? timeline.findLast(({ outcome }) => outcome)?.message : undefined
      const why = problem ?? records.find((each) => each.problem)?.problem ?? last
      return why ? [{ place: `jobs/${id}`, what: domain, why: formatTimes(why) }] : []
    }),
    certificates.tls_certificates
      .filter(({ issued_at, not_after }) => !issued_at && Date.parse(not_after) <= page.now)
      .map(({ id, subject_common_name: name, not_after }) => ({
        place: `resources/tls_certificates/${id}`,
        what: name || id,
        why: `The uploaded certificate expired at ${formatTime(not_after)}.`,
      })),
    faults
      .filter(({ missed }) => missed)
      .map((fault) => ({ place: 'faults', what: 'A fault waits', why: <FaultText fault={fault} /> })),
    outcomes.map(({ domain, outcome }) => ({
      place: 'faults',
      what: 'An outcome waits',
      why: `${outcome} for ${domain ?? 'any domain'}: no attempt has taken it yet.`,
    })),
    listRefusals(journal),
  ].flatMap((kind: readonly Trouble[]) => kind.slice(0, MAX_OF_EACH_KIND))
  // The page may have more requests than the server, for example from before a restart.
  const isWhole = overview.requests >= journal.length
  if (overview.manual && overview.next && isWhole && journal.at(-1)?.at === overview.now) {
    troubles.push({
      place: 'now',
      what: 'The clock has not moved',
      why: `since the oldest request of the journal. Next: ${formatTime(overview.next.at)}.`,
    })
  }
  if (troubles.length === 0) return null
  return (
    <Card title="Worth a look" count={troubles.length} wide>
      <DefinitionList of={troubles.map(({ place, what, why }) => [<a href={`#${place}`}>{what}</a>, why])} />
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
    place: `requests?q=${encodeURIComponent(word)}`,
    what: `${last.status} × ${count}`,
    why: (
      <>
        The last: {last.method} {last.path}. {last.problem ?? Object(last.response).msg}
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
      {' '}
      There is one at{' '}
      {found.slice(0, MAX_OF_EACH_KIND).map(({ key }) => (
        <a key={key} href={service?.linkToRecord(name, key) ?? ''}>
          {key}{' '}
        </a>
      ))}
    </>
  )
}
