import * as v from 'valibot'
import { systemClock } from '../core/engine/clock.ts'
import { manualClock } from '../core/engine/manual-clock.ts'
import { Refusal, refuse } from '../core/schema/errors.ts'
import { anyObject } from '../core/schema/schema.ts'
import { DURATION_ALLOWED, type Duration, durationMs, timeMs, timestamp } from '../core/schema/time.ts'
import { dialectFamilies } from '../gateway/dialect-families.ts'
import { type AnyOptions, gatewayRows } from '../gateway/options.ts'
import type { Snapshot } from '../generated/controls.ts'
import { dialectNames, dialects } from '../service/resources/dialects.ts'
import { errors } from './errors.ts'
import { SCOPES } from './key-list.ts'
import { isSandboxName } from './names.ts'
import { isTtl, TTL_RANGE } from './ttl.ts'

/** The time to live of a sandbox in ms. Default: no end. */
const ttl = v.exactOptional(
  v.pipe(
    v.custom<Duration>((value) => isTtl(durationMs(value)), `${DURATION_ALLOWED}, ${TTL_RANGE}`),
    v.transform((value) => durationMs(value) as number), // The check above has read the duration.
  ),
)

/** The options of a gateway that a request cannot set: the Worker sets them, or they are not JSON. */
const EXCLUDED = [
  'baseUrl',
  'clock',
  'control',
  'dialect',
  'families',
  'journalBytes',
  'journalSize',
  'keys',
  'store',
] as const satisfies readonly (keyof typeof gatewayRows)[]

type PassedName = Exclude<keyof typeof gatewayRows, (typeof EXCLUDED)[number]>

/** The schema of an option that the gateway itself checks. */
const uncheckedOption = v.exactOptional(v.unknown())
const passedNames = Object.keys(gatewayRows).filter((name) => !EXCLUDED.some((each) => each === name))
// The type checker does not follow names through `fromEntries`.
const passedOptions = Object.fromEntries(passedNames.map((name) => [name, uncheckedOption])) as Record<
  PassedName,
  typeof uncheckedOption
>

function oneOf<T extends string>(names: readonly T[]) {
  return v.exactOptional(v.picklist(names, names.join(' or ')))
}

export const sandboxOptions = v.object({
  dialect: oneOf(dialectNames),
  clock: oneOf(['system', 'manual']),
  /** The first time of a manual clock. Default: now. */
  start: v.exactOptional(
    v.pipe(
      v.string(),
      v.check((text) => timeMs(text) !== undefined, 'an RFC 3339 timestamp, such as 2026-01-01T00:00:00Z'),
    ),
  ),
  ttl,
  /** The state to begin with. */
  snapshot: v.exactOptional(anyObject<Snapshot>('a snapshot, such as that of GET /_fauxgate/state')),
  ...passedOptions,
})

/** The options of a sandbox in an archive: those that a request can set, and no others. The gateway checks their values. */
export const storedOptions = v.strictObject({
  ...v.omit(sandboxOptions, ['ttl', 'snapshot']).entries,
  start: v.string(),
})

export const forkOptions = v.object({ name: v.string(), ttl })

/** The body of the call that creates a key. Without a name, the call replaces the first two keys. */
export const keyOptions = v.object({
  name: v.exactOptional(
    v.pipe(v.string(), v.check(isSandboxName, '1 to 40 lower-case letters, digits and inner hyphens')),
  ),
  /** Default: read. */
  scopes: v.exactOptional(v.pipe(v.array(v.picklist(SCOPES, SCOPES.join(' or '))), v.minLength(1, 'at least one'))),
  ttl,
})

export type SandboxOptions = v.InferOutput<typeof sandboxOptions>

export type StoredOptions = Omit<SandboxOptions, 'snapshot' | 'ttl' | 'start'> & { readonly start: string }

/** Returns the options to store: with the start of the clock, and without the snapshot, which is used only once. */
export function toStoredOptions({ snapshot: _, ...options }: Omit<SandboxOptions, 'ttl'>, now: number): StoredOptions {
  return { start: timestamp(now), ...options }
}

/** Returns the options of a sandbox's gateway. By default, its authority has secret keys, because others can reach it. */
export function toGatewayOptions({ dialect = 'standard', clock, start, ...options }: StoredOptions): AnyOptions {
  return {
    authorityKeys: 'fresh',
    // The gateway checks them.
    ...(options as AnyOptions),
    dialect: dialects[dialect],
    families: dialectFamilies[dialect],
    clock: clock === 'manual' ? manualClock(start) : systemClock,
  }
}

/** Runs work that reads the options of a gateway. A TypeError becomes a refusal of the options. */
export function refuseInvalidOptions<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TypeError) || error instanceof Refusal) throw error
    return refuse(errors.sandbox_options_invalid, { why: error.message })
  }
}
