/**
 * ngrok's API with all of its families.
 *
 * @module
 */

import type { Clock } from '../core/engine/clock.ts'
import { requireObject } from '../core/schema/arguments.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import type { NgrokLimits } from '../generated/limits.ts'
import type { NgrokDeclare, NgrokFamilies, NgrokResources } from '../generated/ngrok.ts'
import type { GatewayOptions } from '../generated/options.ts'
import type { Resources } from '../generated/resources.ts'
import { ngrokFamilies as families } from '../service/ngrok/families.ts'
import { ngrok } from '../service/resources/dialects.ts'
import type { ErrorKeyIn, NameIn } from '../service/resources/index.ts'
import type { InitialOf } from '../service/resources/initial.ts'
import { createGateway } from './gateway.ts'
import type { AccountWith, Gateway, OwnNames } from './types.ts'

export type * from '../generated/core.ts'
export type * from '../generated/ngrok.ts'
export { checkPolicy } from '../service/policy/check-text.ts'
export type { PolicyOptions, PolicyPlace, PolicyProtocol } from '../service/policy/options.ts'
export type { PlacedPolicyProblem, PolicyPath, PolicyProblem } from '../service/policy/problem.ts'
export type { NgrokLimits }

/**
 * The families that ngrok has in addition to the standard dialect, by name in the direct API. To include only some of these families, pass
 * them to `createGateway` as `families`.
 */
export const ngrokFamilies: NgrokFamilies = families

/** A gateway in ngrok's dialect, with ngrok's families. */
export type Ngrok<C extends Clock = Clock> = Gateway<C> &
  NgrokResources &
  OwnNames<NgrokDeclare, NameIn<NgrokFamilies>, ErrorKeyIn<NgrokFamilies>>

/** The options of {@link createNgrok}: the options of `createGateway` without `dialect`. */
export interface NgrokOptions<C extends Clock = Clock>
  extends Omit<GatewayOptions<C>, 'account' | 'dialect' | 'initial'> {
  /** The account that owns the resources: a plan, and limits by name. Default: no limits. */
  readonly account?: AccountWith<NgrokLimits> | undefined
  /** The resources that exist at the start and after each `reset()`: request bodies by family. The API's rules apply to them. */
  readonly initial?: InitialOf<Resources & NgrokResources> | undefined
}

/**
 * Creates a gateway in ngrok's dialect with all of ngrok's families.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * const gateway = createNgrok({ seed: 'checkout' })
 * const policy = gateway.ipPolicies.create({ description: 'the office' })
 * ```
 * @throws TypeError if an option is unknown or has a value that is not allowed; GatewayError if a rule rejects an entry of `initial`. The
 * message names the entry.
 */
export function createNgrok<C extends Clock = Clock>(options?: NgrokOptions<C>): Ngrok<C> {
  if (options !== undefined) requireObject('options', options)
  for (const name of ['dialect', 'families']) {
    if (options && name in options) {
      const alternative = 'createGateway({ dialect: ngrok, families: { ...ngrokFamilies, … } })'
      throw atCaller(
        new TypeError(
          `"${name}" is not an option of createNgrok, because createNgrok sets it. For your own families, use ${alternative}.`,
        ),
      )
    }
  }
  return createGateway<NgrokFamilies, C>({ ...options, dialect: ngrok, families: ngrokFamilies })
}
