import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { GatewayError } from '../gateway/gateway-error.ts'
import { openApi } from '../openapi/openapi.ts'
import type { Store } from '../operation/store.ts'
import { Refusal, refuse } from '../schema/errors.ts'
import { errors } from './errors.ts'
import type { Keys } from './keys.ts'
import type { Metadata } from './metadata.ts'
import { gatewayOptions } from './options.ts'

/** The limits of a sandbox's journal: many sandboxes share the memory of one process. */
const JOURNAL = { journalSize: 200, journalBytes: 512 * 1024 } as const

/** Makes the gateway of a sandbox from what its store has. */
export function gatewayOf({ options }: Metadata, keys: Keys, store: Store): Gateway {
  const gateway = createGateway({
    ...gatewayOptions(options),
    ...JOURNAL,
    keys: [keys.api_key],
    control: { key: keys.control_key },
    store,
  })
  gateway.describedBy(openApi)
  return gateway
}

/** Runs work that loads a state. A state that cannot be read is an answer, with its reason (rules: sandboxes#versions). */
export function loading<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Refusal || error instanceof GatewayError) throw error
    return refuse(errors.sandbox_unreadable, { name, why: error.message.replace(/\.$/, '') })
  }
}
