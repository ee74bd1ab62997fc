import * as v from 'valibot'
import { documented, named } from '../core/schema/documentation.ts'
import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { count } from '../core/schema/record-schema.ts'
import { time } from '../core/schema/schema.ts'
import { quote } from '../core/schema/text.ts'
import { timestamp } from '../core/schema/time.ts'
import type { Snapshot } from '../generated/controls.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'
import { describeDifference } from './difference.ts'
import type { SavedSnapshot } from './saved-snapshots.ts'

/** The maximum number of snapshots that a gateway keeps. All of them are in memory. */
const MAX_SNAPSHOTS = 20

/** The maximum total number of records in all saved snapshots. */
const MAX_RECORDS = 1_000_000

const NAME_ALLOWED = 'a name of 1 to 100 characters'

const name = v.pipe(v.string(), v.nonEmpty(NAME_ALLOWED), v.maxLength(100, NAME_ALLOWED))

const savedSnapshot = named(
  v.object({
    name: documented(name, 'Its name.'),
    at: documented(time, "The gateway's time when the snapshot was taken."),
    records: documented(count, 'The number of records in the snapshot.'),
  }),
  'SavedSnapshot',
  'A snapshot that the gateway keeps across `reset` and, with a store, across a restart.',
)

const list = controlCall({
  method: 'GET',
  path: '/snapshots',
  summary: 'List the named snapshots, oldest first',
  commands: [{ name: 'snapshots' }],
  response: v.array(savedSnapshot),
  run: ({ snapshots }) => snapshots.all.map(summarize),
})

const take = controlCall({
  method: 'POST',
  path: '/snapshots',
  summary: 'Take a named snapshot',
  commands: [{ name: 'snapshots take', words: { name: '[NAME]' } }],
  from: 'body',
  schema: v.object({ name: v.optional(documented(name, 'Its name. Default: `Snapshot 1`, and so on.')) }),
  response: savedSnapshot,
  run(host, { name = findUnusedName(host) }) {
    const { all } = host.snapshots
    const field = 'name'
    if (all.some((each) => each.name === name)) {
      const received = `${quote(name)}, the name of another snapshot`
      refuse(general.field_invalid, { field, received, allowed: 'a name that no other snapshot uses' })
    }
    if (all.length >= MAX_SNAPSHOTS) {
      const received = `${quote(name)}, one snapshot too many`
      const allowed = `at most ${MAX_SNAPSHOTS} snapshots; DELETE /_fauxgate/snapshots removes one`
      refuse(general.field_invalid, { field, received, allowed })
    }
    const snapshot = host.snapshot(true)
    const records = all.reduce((sum, each) => sum + countRecords(each.snapshot), countRecords(snapshot))
    if (records > MAX_RECORDS) {
      const received = `${quote(name)}, with ${records} records in all snapshots`
      refuse(general.field_invalid, { field, received, allowed: `at most ${MAX_RECORDS} records in all` })
    }
    return summarize(host.snapshots.add(name, snapshot))
  },
})

const restore = controlCall({
  method: 'POST',
  path: '/snapshots/restore',
  summary: 'Restore a named snapshot',
  commands: [{ name: 'snapshots restore', words: { name: 'NAME' } }],
  from: 'body',
  schema: v.object({ name: documented(name, 'Its name.') }),
  errors: [general.not_found],
  run: (host, sent) => host.restore(requireSnapshot(host, sent.name).snapshot),
})

const remove = controlCall({
  method: 'DELETE',
  path: '/snapshots',
  summary: 'Remove a named snapshot, or all snapshots',
  commands: [{ name: 'snapshots remove', summary: 'Remove a named snapshot', words: { name: 'NAME' } }],
  from: 'query',
  schema: v.object({ name: v.optional(documented(name, 'Its name. Default: all snapshots.')) }),
  errors: [general.not_found],
  run(host, sent) {
    const found = sent.name === undefined ? host.snapshots.all : [requireSnapshot(host, sent.name)]
    for (const each of found) host.snapshots.remove(each)
  },
})

const difference = controlCall({
  method: 'GET',
  path: '/snapshots/difference',
  summary: 'Compare two snapshots, or a snapshot with the current state',
  commands: [{ name: 'snapshots difference', words: { from: 'FROM', to: '[TO]' } }],
  from: 'query',
  schema: v.object({
    from: documented(name, 'The name of the older snapshot.'),
    to: v.optional(documented(name, 'The name of another snapshot. Default: the current state.')),
  }),
  response: v.string(),
  mediaType: 'text/plain; charset=utf-8',
  errors: [general.not_found],
  run(host, { from, to }) {
    const before = requireSnapshot(host, from).snapshot
    const after = to === undefined ? host.snapshot(true) : requireSnapshot(host, to).snapshot
    return host.withoutKeys(describeDifference(before, after, host.engine.state.records.collections))
  },
})

const remember = controlCall({
  method: 'PUT',
  path: '/undo',
  summary: 'Save the current state for POST /_fauxgate/undo',
  commands: [{ name: 'undo remember', summary: 'Save the current state so you can undo later changes' }],
  run(host) {
    // This snapshot isn't shown to anyone, so it includes secrets. Omitting them would take 40 µs for a domain with a year of renewals.
    host.snapshots.remembered.remember(host.snapshot(true))
  },
})

const NOTHING_REMEMBERED = 'to return to. Save one first: `fauxgate undo remember`, or PUT /_fauxgate/undo'

const undo = controlCall({
  method: 'POST',
  path: '/undo',
  summary: 'Restore the last saved undo point, including the time of a manual clock',
  commands: [{ name: 'undo' }],
  errors: [general.not_found],
  run(host) {
    const { state } = host.snapshots.remembered
    if (!state) return refuse(general.not_found, { what: 'saved undo point', received: NOTHING_REMEMBERED }, {})
    host.restore(state, true)
  },
})

/** Snapshots that the gateway saves, available only over HTTP. A test can store the result of `gateway.snapshot()` in a variable. */
export const snapshots: Control = { calls: [list, take, restore, remove, difference, remember, undo] }

function summarize({ name, snapshot }: SavedSnapshot) {
  return { name, at: timestamp(snapshot.now), records: countRecords(snapshot) }
}

function countRecords({ records }: Snapshot): number {
  return Object.values(records).reduce((sum, { length }) => sum + length, 0)
}

function findUnusedName({ snapshots: { all } }: ControlHost): string {
  const names = new Set(all.map((each) => each.name))
  let number = all.length + 1
  while (names.has(`Snapshot ${number}`)) number++
  return `Snapshot ${number}`
}

function requireSnapshot({ snapshots: { all } }: ControlHost, received: string): SavedSnapshot {
  const found = all.find((each) => each.name === received)
  return found ?? refuse(general.not_found, { what: 'snapshot', received: quote(received) }, {})
}
