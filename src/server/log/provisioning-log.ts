import type { Gateway } from '../../gateway/gateway.ts'
import type { Change, Commit } from '../../operation/collection.ts'
import type { ShownTimelineEntry } from '../../provisioning/timeline.ts'
import { domains } from '../../resources/reserved-domains/records.ts'
import type { LoggedTransition } from './log.ts'

/** Tells what the provisioning of each domain does, with the commit that did it. Answers what ends that. */
export function followProvisioning(
  gateway: Gateway,
  tell: (transition: LoggedTransition, commit: Commit) => void,
): () => void {
  return gateway.subscribe((commit) => {
    for (const change of commit.changes) {
      if (change.collection === domains.name) for (const each of transitionsIn(gateway, change)) tell(each, commit)
    }
  }, domains.name)
}

function transitionsIn(gateway: Gateway, { key: id, before, after }: Change): LoggedTransition[] {
  const count = newEntries(timelineOf(before), timelineOf(after))
  if (count === 0) return []
  // A record of this collection.
  const { domain } = after as { readonly domain: string }
  const told = timelineInWords(gateway, id).slice(-count)
  return told.map(({ at, transition, message }) => ({ at, domain, id, transition, message }))
}

/** Nothing where the domain is gone by now. */
function timelineInWords(gateway: Gateway, id: string): readonly ShownTimelineEntry[] {
  try {
    return gateway.provisioning.timeline(id)
  } catch {
    return []
  }
}

function timelineOf(record: object | undefined): readonly unknown[] {
  // Of a record of this collection; without one, there is none.
  return (record as { readonly timeline?: readonly unknown[] } | undefined)?.timeline ?? []
}

/** How many entries of a timeline, of which the oldest give way, were not there before. */
function newEntries(before: readonly unknown[], after: readonly unknown[]): number {
  if (before.length === 0) return after.length
  const last = JSON.stringify(before.at(-1))
  return after.length - 1 - after.findLastIndex((entry) => JSON.stringify(entry) === last)
}
