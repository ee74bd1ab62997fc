import * as v from 'valibot'
import type { Snapshot } from '../control/state/snapshot.ts'
import { systemClock } from '../engine/clock.ts'
import { manualClock } from '../engine/manual-clock.ts'
import type { GatewayOptions } from '../gateway/gateway-options.ts'
import { dialects } from '../resources/dialects.ts'
import { documented, facts, named } from '../schema/documentation.ts'
import { Refusal, refuse } from '../schema/errors.ts'
import { anyObject } from '../schema/schema.ts'
import { DURATION_ALLOWED, DURATION_FACTS, type Duration, durationMs, timeMs, timestamp } from '../schema/time.ts'
import { errors } from './errors.ts'

// Its own names are all that it has.
const DIALECT_NAMES = Object.keys(dialects) as (keyof typeof dialects)[]

const LONGEST_TTL_DAYS = 366
const SHORTEST_TTL_MS = 1000

const TTL_ALLOWED = `${DURATION_ALLOWED}, from 1s to ${LONGEST_TTL_DAYS}d`

/** How long a sandbox lives, in ms. */
const ttl = v.exactOptional(
  documented(
    v.pipe(
      v.custom<Duration>((value) => isWithin(durationMs(value)), TTL_ALLOWED),
      v.transform((value) => durationMs(value) as number), // It is one, as just checked.
      facts(DURATION_FACTS),
    ),
    'After which time the sandbox and everything in it is removed. Default: never.',
  ),
)

function isWithin(ms: number | undefined): boolean {
  return ms !== undefined && ms >= SHORTEST_TTL_MS && ms <= LONGEST_TTL_DAYS * 86_400_000
}

/** The options of a gateway that are plain JSON and a sandbox's own affair. The gateway itself reads them. */
const OF_GATEWAY = [
  'addressesPerRegion',
  'authorityKeys',
  'certificateValidity',
  'dns',
  'dnsErrorRetry',
  'emptyJsonOnDelete',
  'initial',
  'internalErrorBackoff',
  'provisioningDelay',
  'quirks',
  'rateLimit',
  'references',
  'renewalLead',
  'seed',
  'unknownActions',
] as const satisfies readonly (keyof GatewayOptions)[]

// The type checker does not follow names through `fromEntries`.
const ofGateway = Object.fromEntries(
  OF_GATEWAY.map((name) => [
    name,
    v.exactOptional(documented(v.unknown(), `The option \`${name}\` of createGateway.`)),
  ]),
) as Record<(typeof OF_GATEWAY)[number], v.ExactOptionalSchema<v.UnknownSchema, undefined>>

/** What a sandbox can be created with. */
export const sandboxOptions = named(
  v.object({
    dialect: v.exactOptional(
      documented(
        v.picklist(DIALECT_NAMES, DIALECT_NAMES.join(' or ')),
        'What differs between services. Default: standard.',
      ),
    ),
    clock: v.exactOptional(
      documented(
        v.picklist(['system', 'manual'], 'system or manual'),
        'The time of the world, or a clock that stands until somebody moves it. Default: system.',
      ),
    ),
    start: v.exactOptional(
      documented(
        v.pipe(
          v.string(),
          v.check((text) => timeMs(text) !== undefined, 'an RFC 3339 timestamp, such as 2026-01-01T00:00:00Z'),
        ),
        'Where a manual clock stands at first. Default: now.',
        { json: { format: 'date-time' } },
      ),
    ),
    ttl,
    snapshot: v.exactOptional(
      documented(
        anyObject<Snapshot>('a snapshot, such as that of GET /_fauxgate/state'),
        'The state to begin with: a snapshot.',
      ),
    ),
    ...ofGateway,
  }),
  'SandboxOptions',
  'What a sandbox is created with.',
)

/** What a fork of a sandbox can be given. */
export const forkOptions = named(
  v.object({
    name: documented(v.string(), 'The name of the new sandbox.'),
    ttl,
  }),
  'ForkOptions',
  'Where a sandbox is copied to.',
)

/** Options as they were read. */
export type SandboxOptions = v.InferOutput<typeof sandboxOptions>

/** What is kept of the options of a sandbox. */
export type KeptOptions = Omit<SandboxOptions, 'snapshot' | 'ttl' | 'start'> & { readonly start: string }

/** What of options is kept: with the time that a manual clock begins at, and without what is needed only once. */
export function keptOptions({ snapshot: _, ttl: __, ...options }: SandboxOptions, now: number): KeptOptions {
  return { start: timestamp(now), ...options }
}

/** The options of a sandbox's gateway. Its authority's keys are secret unless it says otherwise: others can reach it. */
export function gatewayOptions({ dialect = 'standard', clock, start, ...options }: KeptOptions): GatewayOptions {
  return {
    authorityKeys: 'fresh',
    // What it takes of these, and says of what it does not, is the gateway's own.
    ...(options as GatewayOptions),
    dialect: dialects[dialect],
    clock: clock === 'manual' ? manualClock(start) : systemClock,
  }
}

/** Runs what reads the options of a gateway: what it does not take is refused. */
export function readingOptions<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TypeError) || error instanceof Refusal) throw error
    return refuse(errors.sandbox_options_invalid, { why: error.message })
  }
}
