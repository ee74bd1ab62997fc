import * as v from 'valibot'
import { systemClock } from '../core/engine/clock.ts'
import { manualClock } from '../core/engine/manual-clock.ts'
import { anyObject } from '../core/schema/schema.ts'
import { DURATION_ALLOWED, type Duration, durationMs, timestamp } from '../core/schema/time.ts'
import { dialectFamilies } from '../gateway/dialect-families.ts'
import { hostedOptions, toPassedOptions } from '../gateway/hosted-options.ts'
import type { AnyOptions } from '../gateway/options.ts'
import type { Snapshot } from '../generated/controls.ts'
import { dialects } from '../service/resources/dialects.ts'
import { SCOPES } from './key-list.ts'
import { isSandboxName } from './names.ts'
import { isTtl, TTL_RANGE } from './ttl.ts'

/** The time to live of a sandbox in ms. Default: no limit. */
const ttl = v.exactOptional(
  v.pipe(
    v.custom<Duration>((value) => isTtl(durationMs(value)), `${DURATION_ALLOWED}, ${TTL_RANGE}`),
    v.transform((value) => durationMs(value) as number), // The check above parsed the duration.
  ),
)

export const sandboxOptions = v.object({
  ...hostedOptions.entries,
  ttl,
  /** The initial state. */
  snapshot: v.exactOptional(anyObject<Snapshot>('a snapshot, such as the response to GET /_fauxgate/state')),
})

/** The options of an archived sandbox: only options that a request can set. The gateway checks their values. */
export const storedOptions = v.strictObject({
  ...v.omit(sandboxOptions, ['ttl', 'snapshot']).entries,
  start: v.string(),
})

export const forkOptions = v.object({ name: v.string(), ttl })

/** The body of the call that creates a key. Without a name, the call replaces the first two keys. */
export const keyOptions = v.object({
  name: v.exactOptional(
    v.pipe(v.string(), v.check(isSandboxName, '1 to 40 lowercase letters, digits, and inner hyphens')),
  ),
  /** The permissions of the key. Default: `['read']`. */
  scopes: v.exactOptional(v.pipe(v.array(v.picklist(SCOPES, SCOPES.join(' or '))), v.minLength(1, 'at least one'))),
  ttl,
})

export type SandboxOptions = v.InferOutput<typeof sandboxOptions>

export type StoredOptions = Omit<SandboxOptions, 'snapshot' | 'ttl' | 'start'> & { readonly start: string }

/** Returns the options to store: with the clock's start time, and without the snapshot, because it is used only once. */
export function toStoredOptions({ snapshot: _, ...options }: Omit<SandboxOptions, 'ttl'>, now: number): StoredOptions {
  return { start: timestamp(now), ...options }
}

/** Returns the options of a sandbox's gateway. By default, its authority has secret keys because others can reach it. */
export function toGatewayOptions(options: StoredOptions): AnyOptions {
  const { dialect = 'standard', clock, start } = options
  return {
    authorityKeys: 'fresh',
    ...toPassedOptions(options),
    dialect: dialects[dialect],
    families: dialectFamilies[dialect],
    clock: clock === 'manual' ? manualClock(start) : systemClock,
  }
}
