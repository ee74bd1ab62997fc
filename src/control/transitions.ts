import type { Engine } from '../core/engine/engine.ts'
import type { RecordChange } from '../core/engine/records.ts'
import type { TimelineEntry } from '../generated/controls.ts'
import type { Timeline } from '../service/provisioning/timeline.ts'
import { timelineView } from '../service/provisioning/transitions.ts'
import { type DomainRecord, domains } from '../service/resources/reserved-domains/records.ts'

/** A transition, with the ID of its domain. */
export interface DomainTransition extends Pick<TimelineEntry, 'at' | 'transition' | 'message'> {
  readonly domain: string
  readonly id: string
}

/** Calls the function with the transitions of each commit, and the commit's operation. Returns a function that ends the subscription. */
export function watchTransitions(
  { subscribers, context }: Engine,
  watcher: (transitions: readonly DomainTransition[], operation: string) => void,
): () => void {
  return subscribers.add(({ operation, changes }) => {
    const transitions = changes.flatMap((change) => {
      const found = findTransitions(change)
      return found ? describe(found, context) : []
    })
    watcher(transitions, operation)
  }, domains.name)
}

interface FoundTransitions {
  readonly record: DomainRecord
  readonly added: Timeline
}

function describe({ record: { domain, id }, added }: FoundTransitions, context: Engine['context']): DomainTransition[] {
  const described = timelineView(context, added)
  return described.map(({ at, transition, message }) => ({ at, domain, id, transition, message }))
}

/**
 * Returns the domain that a change concerns, and the entries that the change adds to the domain's timeline, or undefined for other changes.
 */
export function findTransitions({ collection, before, after }: RecordChange): FoundTransitions | undefined {
  if (collection.name !== domains.name || !after) return undefined
  // Each change appends to a timeline, and keeps at least the last earlier entry.
  const [record, old] = [after, before] as [DomainRecord, DomainRecord | undefined] // The collection has this type.
  const { timeline } = record
  const last = old?.timeline.at(-1)
  return { record, added: timeline.slice(last ? timeline.lastIndexOf(last) + 1 : 0) }
}
