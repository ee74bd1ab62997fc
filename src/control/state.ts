import * as v from 'valibot'
import { optionsOf, readOptions, type SchemasOf, switchOption } from '../schema/options.ts'
import { type Control, type ControlCall, type ControlHost, controlCall } from './control.ts'
import { type Snapshot, shownSnapshot } from './snapshot.ts'

const reset = controlCall({
  method: 'POST',
  path: '/reset',
  summary: 'Back to the initial state',
  run: (host) => host.reset(),
})

const snapshot = controlCall({
  method: 'GET',
  path: '/state',
  summary: 'A snapshot of the state',
  answer: shownSnapshot,
  run: (host) => host.snapshot(false),
})

// It reads what was sent itself: in a snapshot `null` is a value.
const restore = {
  method: 'PUT',
  path: '/state',
  summary: 'Put the state of a snapshot in the place of the state',
  from: 'body',
  schema: shownSnapshot,
  readsRecords: true,
  run: (host, sent) => host.restore(sent),
} satisfies ControlCall

/** What a snapshot is to have. */
export interface SnapshotOptions {
  /** Private keys and other secrets of the records. Default: false. */
  readonly privateKeys?: boolean
}

const snapshotOptions = optionsOf({ privateKeys: v.optional(switchOption) } satisfies SchemasOf<SnapshotOptions>)

/** What a gateway has for its state as a whole. */
export interface StateMembers {
  /**
   * The state as plain JSON, without secrets unless they are asked for. Equal states give equal snapshots. In this process
   * the object itself brings the secrets back all the same, unseen.
   * @throws TypeError for an unknown option or a value that is not allowed.
   */
  snapshot(options?: SnapshotOptions): Snapshot
  /**
   * Puts the state of a snapshot in the place of the state; a manual clock goes to the snapshot's time.
   * @throws GatewayError with the path of what is wrong, for a damaged snapshot or one of another version; then nothing
   * has changed.
   */
  restore(snapshot: Snapshot): void
  /** Back to the initial state: no resources, no orders, an empty zone, the same seed, a manual clock at its start. */
  reset(): void
}

/** All that a gateway knows. */
export const state: Control<StateMembers> = {
  calls: { reset, snapshot, restore },
  members: direct,
}

function direct(host: ControlHost): StateMembers {
  return {
    snapshot(options = {}) {
      const { privateKeys = false } = readOptions(snapshotOptions, options)
      return host.snapshot(privateKeys)
    },
    restore: (snapshot) => host.restore(snapshot),
    reset: () => host.reset(),
  }
}
