import * as v from 'valibot'
import { MAX_BODY_BYTES } from '../core/schema/body.ts'
import { optionsOf, readOptions, type SchemasOf, switchOption } from '../core/schema/options.ts'
import type { Snapshot } from '../generated/controls.ts'
import { type Control, controlCall, remembered } from './control.ts'
import { snapshotBody } from './snapshot.ts'

const reset = controlCall({
  method: 'POST',
  path: '/reset',
  summary: 'Reset the gateway to its initial state',
  commands: [{ name: 'reset' }],
  run: (host) => host.reset(),
})

const snapshot = controlCall({
  method: 'GET',
  path: '/state',
  summary: 'Take a snapshot of the state',
  response: snapshotBody,
  run: (host) => host.snapshot(false),
})

/** The maximum size of a snapshot over HTTP, in bytes: about 250,000 domains with their certificates. */
const MAX_STATE_BYTES = 256 * MAX_BODY_BYTES

// Created without controlCall, whose reader drops nulls: in a snapshot, `null` is a value.
const restore = remembered({
  method: 'PUT',
  path: '/state',
  summary: 'Restore a snapshot',
  from: 'body',
  schema: snapshotBody,
  readsRecords: true,
  maxBytes: MAX_STATE_BYTES,
  run: (host, sent) => host.restore(sent),
})

/** The options for a snapshot. */
export interface SnapshotOptions {
  /** True to include private keys and other secrets. Default: false. */
  readonly privateKeys?: boolean
}

const snapshotOptions = optionsOf({ privateKeys: v.optional(switchOption) } satisfies SchemasOf<SnapshotOptions>)

export interface StateMembers {
  /**
   * Returns the state as plain JSON, without secrets unless `privateKeys` is set. Equal states produce equal snapshots. If the same process
   * restores the returned object itself, not a copy, the secrets are also restored.
   * @throws TypeError for an unknown option or a value that is not allowed.
   */
  snapshot(options?: SnapshotOptions): Snapshot
  /**
   * Replaces the state with a snapshot. A manual clock moves to the snapshot's time.
   * @throws GatewayError with the path of the problem, if the snapshot is damaged or its version isn't supported. The state then stays
   * unchanged.
   */
  restore(snapshot: Snapshot): void
  /**
   * Returns to the initial state: no resources beyond `initial`, no faults or scripted outcomes, an empty DNS zone, the same seed, and a
   * manual clock at its start time.
   */
  reset(): void
}

export const state: Control<StateMembers> = {
  calls: [reset, snapshot, restore],
  members: (host) => ({
    snapshot(options = {}) {
      const { privateKeys = false } = readOptions(snapshotOptions, options)
      return host.snapshot(privateKeys)
    },
    restore: (snapshot) => restore.run(host, snapshot),
    reset: () => host.reset(),
  }),
}
