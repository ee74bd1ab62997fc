import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ArmedFault, PendingOutcome } from '../../generated/controls.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import type { Timelines } from '../../views/timelines.ts'
import { useLive } from '../live.ts'
import { usePage } from '../page.ts'
import { codeOf } from '../search.ts'
import { formatTime } from '../shared/format.ts'
import { Card, Facts } from '../shared/layout.tsx'
import { FaultText } from './faults.tsx'

/** The most of each kind. */
const MOST = 5

interface Trouble {
  readonly place: string
  readonly what: string
  readonly why: ComponentChildren
}

/** What may be wrong, derived from the state, with a link to each: nothing is stored, and nothing is shown where all is well. */
export function Troubles() {
  const page = usePage()
  const loaded = useLive(
    async () => ({
      domains: await page.control<Timelines>('GET', `/timelines?order=failing&limit=${MOST}`),
      outcomes: await page.control<PendingOutcome[]>('GET', '/provisioning/script'),
      faults: await page.control<ArmedFault[]>('GET', '/faults'),
    }),
    [],
  )
  const { overview, journal } = page
  const refusals = useMemo(() => refused(journal), [journal])
  if (!overview || !loaded) return null
  const troubles: Trouble[] = [
    ...overview.waiting.slice(0, MOST).map(({ operationId, until }) => ({
      place: `requests/${operationId}`,
      what: 'A client waits',
      why: `until ${formatTime(until)}, because of a fault.`,
    })),
    ...loaded.domains.timelines.flatMap(({ id, domain, state, problem, records, timeline }) => {
      const last = state.includes('failing') ? timeline.findLast(({ outcome }) => outcome)?.message : undefined
      const why = problem ?? records.find((each) => each.problem)?.problem ?? last
      return why ? [{ place: `jobs/${id}`, what: domain, why }] : []
    }),
    ...loaded.faults
      .filter(({ hits, times }) => hits !== times)
      .slice(0, MOST)
      .map((fault) => ({ place: 'faults', what: 'A fault waits', why: <FaultText fault={fault} /> })),
    ...loaded.outcomes.slice(0, MOST).map(({ domain, outcome }) => ({
      place: 'faults',
      what: 'An outcome waits',
      why: `${outcome} for ${domain ?? 'any domain'}: no attempt has taken it yet.`,
    })),
    ...refusals,
  ]
  const first = journal.at(-1)
  if (overview.manual && overview.next && first?.at === overview.now) {
    troubles.push({
      place: 'now',
      what: 'The clock has not moved',
      why: `since the first request. Next: ${formatTime(overview.next.at)}.`,
    })
  }
  if (troubles.length === 0) return null
  return (
    <Card title="Worth a look" count={troubles.length} wide>
      <Facts of={troubles.map(({ place, what, why }) => [<a href={`#${place}`}>{what}</a>, why])} />
    </Card>
  )
}

/** The refusals of requests, by their codes, and the requests for unknown paths. */
function refused(journal: readonly JournalEntry[]): Trouble[] {
  const groups = new Map<string, { readonly last: JournalEntry; count: number }>()
  for (const entry of journal) {
    const { status, operation } = entry
    if (status < 400) continue
    const code = codeOf(entry)
    const word = operation === null ? 'op:none' : code ? `code:${code}` : `status:${status}`
    const known = groups.get(word)
    if (known) known.count++
    else groups.set(word, { last: entry, count: 1 })
  }
  return [...groups].slice(0, MOST).map(([word, { last, count }]) => ({
    place: `requests?q=${word}`,
    what: `${last.status} × ${count}`,
    why: `The last: ${last.method} ${last.path}. ${Object(last.response).msg ?? ''}`,
  }))
}
