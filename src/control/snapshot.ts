import * as v from 'valibot'
import type { Collection } from '../operation/collection.ts'
import { storedReader } from '../schema/body.ts'
import { documented, named } from '../schema/documentation.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { instant, sequence } from '../schema/record-schema.ts'
import type { RuleContext } from '../schema/rule.ts'
import { anyObject } from '../schema/schema.ts'
import { hasNoPrivateKey } from '../schema/secret-texts.ts'
import { quote } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'

/** The version of snapshots that this fauxgate writes and reads. */
export const SNAPSHOT_VERSION = 1

/** The state of a gateway as plain JSON. */
export interface Snapshot {
  /** The version of snapshots, which `restore` asks for. */
  readonly version: typeof SNAPSHOT_VERSION
  /** The gateway's time in ms since 1970. */
  readonly now: number
  /** What ids and automatic certificates come from; null where the authority has keys of its own. */
  readonly seed: string | null
  /** The number that the next id comes from. */
  readonly sequence: number
  /** When the requests came that the rate limit counts, in ms. */
  readonly rateLimit: readonly number[]
  /** All records, by collection, oldest first. Secrets are left out unless they were asked for. */
  readonly records: Records
}

const head = {
  version: documented(v.literal(SNAPSHOT_VERSION), 'The version of snapshots.'),
  now: documented(instant, "The gateway's time, in ms since 1970."),
  seed: documented(
    v.nullable(v.pipe(v.string('a string or null'), v.check(hasNoPrivateKey, 'a string without a private key'))),
    'What ids and automatic certificates come from; null where the authority has keys of its own.',
  ),
  sequence: documented(sequence, 'The number that the next id comes from.'),
  rateLimit: documented(v.array(instant), 'When the requests came that the rate limit counts, in ms since 1970.'),
}

const RECORDS = 'All records, by collection, oldest first; secrets are left out.'

/** A snapshot as it is shown and sent; its records are read by the schemas of their collections. */
export const shownSnapshot = named(
  v.object({ ...head, records: documented(v.record(v.string(), v.array(anyObject())), RECORDS) }),
  'Snapshot',
  'The state of a gateway.',
)

/** Records by collection. */
export type Records = Readonly<Record<string, readonly object[]>>

/** A snapshot that was read: its records are as they were kept. */
export interface ReadSnapshot extends Snapshot {
  /** True if a gateway of this process made it, so that there is nothing in it to check. */
  readonly isOwn: boolean
}

/** The records with their secrets of snapshots that were made here: no copy, clone, print or JSON of a snapshot has them. */
const ownRecords = new WeakMap<object, Records>()

/** Makes a snapshot. `kept` are its records as the gateway keeps them; they go where the object goes, and nowhere else. */
export function snapshotOf(facts: Omit<Snapshot, 'version'>, kept: Records): Snapshot {
  const snapshot = { version: SNAPSHOT_VERSION, ...facts } as const
  ownRecords.set(snapshot, kept)
  for (const rows of Object.values(snapshot.records)) Object.freeze(rows)
  Object.freeze(snapshot.records)
  Object.freeze(snapshot.rateLimit)
  return Object.freeze(snapshot)
}

/** Reads a snapshot. @throws Refusal with the path of everything that is wrong. */
export type SnapshotReader = (value: unknown, context: RuleContext) => ReadSnapshot

/**
 * Makes the reader of snapshots: it takes one that a gateway of this process made as it is, and reads any other by the
 * schemas of its collections. What its records must be to one another is checked where they are kept.
 */
export function snapshotReader(collections: readonly Collection<object>[]): SnapshotReader {
  // Few gateways are given one to read.
  let reader: ReturnType<typeof storedReader<ReturnType<typeof snapshotSchema>>> | undefined
  return (value, context) => {
    const own = isObject(value) ? ownRecords.get(value) : undefined
    if (own) return { ...(value as Snapshot), records: own, isOwn: true } // Only snapshots have records there.
    const sent = isObject(value) ? { ...value } : value
    if (isObject(sent) && sent.version !== SNAPSHOT_VERSION) {
      const allowed = `${SNAPSHOT_VERSION}, the version this fauxgate reads`
      return refuse(general.field_invalid, { field: 'version', received: quote(sent.version), allowed })
    }
    reader ??= storedReader(snapshotSchema(collections), 'the snapshot')
    return { ...reader(sent, recordContext(sent, context)), isOwn: false }
  }
}

function snapshotSchema(collections: readonly Collection<object>[]) {
  type Listed = [name: string, schema: v.GenericSchema<unknown, object[]>]
  const records = collections.map(({ name, schema, most = Number.POSITIVE_INFINITY }): Listed => {
    const tooMany = `at most ${most} records`
    return [name, v.optional(v.pipe(v.array(schema), v.maxLength(most, tooMany)), [])]
  })
  return v.object({
    ...head,
    records: v.object(Object.fromEntries(records)),
  })
}

/** What the records are checked against. A fact that is wrong itself is a problem of its own, and of no record. */
function recordContext(sent: unknown, context: RuleContext): RuleContext {
  const facts = isObject(sent) ? sent : {}
  return {
    ...context,
    state: {
      now: v.is(instant, facts.now) ? facts.now : Number.NEGATIVE_INFINITY,
      sequence: v.is(sequence, facts.sequence) ? facts.sequence : Number.POSITIVE_INFINITY,
    },
  }
}
