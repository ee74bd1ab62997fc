import * as v from 'valibot'
import { type CatalogueError, Refusal, refuse } from '../core/schema/errors.ts'
import { timeMs } from '../core/schema/time.ts'
import { isObject } from '../core/schema/values.ts'
import { dialectNames } from '../service/resources/dialects.ts'
import { type AnyOptions, gatewayRows } from './options.ts'

/** The gateway options that a request can't set, because the host sets them or they aren't JSON. */
const EXCLUDED = [
  'baseUrl',
  'clock',
  'control',
  // Otherwise a client could make the server send requests to any address.
  'destinations',
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
// The type checker loses the key types in `fromEntries`.
const passedOptions = Object.fromEntries(passedNames.map((name) => [name, uncheckedOption])) as Record<
  PassedName,
  typeof uncheckedOption
>

function oneOf<T extends string>(names: readonly T[]) {
  return v.exactOptional(v.picklist(names, names.join(' or ')))
}

/** The options of a gateway created by a request: for a sandbox, or for an additional gateway on a server. */
export const hostedOptions = v.object({
  dialect: oneOf(dialectNames),
  clock: oneOf(['system', 'manual']),
  /** The start time of a manual clock. */
  start: v.exactOptional(
    v.pipe(
      v.string(),
      v.check((text) => timeMs(text) !== undefined, 'an RFC 3339 timestamp, such as 2026-01-01T00:00:00Z'),
    ),
  ),
  /** The account's plan, like `account: { plan }` in options. */
  plan: uncheckedOption,
  ...passedOptions,
})

export type HostedOptions = v.InferOutput<typeof hostedOptions>

/** Returns the options of `createGateway`, except for the dialect and the clock. The gateway checks the values. */
export function toPassedOptions({ dialect, clock, start, plan, ...passed }: HostedOptions): AnyOptions {
  const { account } = passed
  const withPlan = plan !== undefined && { account: { ...(isObject(account) && account), plan } }
  return { ...passed, ...withPlan } as AnyOptions // The gateway checks the options.
}

/** Runs work that reads a gateway's options. Converts a TypeError to an error about the options. */
export function refuseInvalidOptions<T>(error: CatalogueError<string, { why: string }>, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || thrown instanceof Refusal) throw thrown
    return refuse(error, { why: thrown.message })
  }
}
