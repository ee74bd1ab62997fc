/**
 * ngrok's API with all of its families.
 *
 * @module
 */
import type { Clock } from '../engine/clock.ts'
import { ngrokFamilies } from '../ngrok/families.ts'
import { ngrok } from '../resources/dialects.ts'
import { createGateway, type GatewayWith, type OptionsWith } from './gateway.ts'

export { ngrokFamilies }

/** A gateway in the dialect of ngrok, with its families. */
export type Ngrok<C extends Clock = Clock> = GatewayWith<typeof ngrokFamilies, C>

/** The options of {@link createNgrok}: those of `createGateway` but `dialect` and `families`. */
export type NgrokOptions<C extends Clock = Clock> = Omit<OptionsWith<typeof ngrokFamilies, C>, 'dialect' | 'families'>

/**
 * Creates a gateway in the dialect of ngrok that has all of ngrok's families.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * const gateway = createNgrok({ seed: 'checkout' })
 * const policy = gateway.ipPolicies.create({ description: 'the office' })
 * ```
 * @throws TypeError if an option is unknown or has a value that is not allowed; GatewayError if a rule refuses an entry of
 * `initial`, which the message names.
 */
export function createNgrok<C extends Clock = Clock>(options?: NgrokOptions<C>): Ngrok<C> {
  return createGateway<typeof ngrokFamilies, C>({ ...options, dialect: ngrok, families: ngrokFamilies })
}
