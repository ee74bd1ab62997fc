import { isIdOf } from '../contract/ids.ts'
import { quote } from '../contract/quote.ts'
import type { Transaction } from '../contract/transaction.ts'
import { declare } from '../resources/declarations.ts'

/**
 * Makes things exist that this API refers to and cannot create. It matters with `references: 'declared'` only. Each
 * function throws a TypeError for an id of another type.
 *
 * @example
 * ```ts
 * const gateway = createGateway({ references: 'declared' })
 * gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
 * gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' })
 * ```
 */
export interface Declare {
  /** An HTTPS edge with routes. Declaring it again adds routes. */
  edge(id: string, options?: { readonly routes?: readonly string[] }): void
  endpointConfiguration(id: string): void
  /** A backend that a weighted backend can have as a child. */
  backend(id: string): void
}

/** Makes the `declare` of a gateway, which does its work in transactions. */
export function declareApi(transact: (work: (tx: Transaction) => void) => void): Declare {
  return {
    edge(id, { routes = [] } = {}) {
      checkId(id, 'edghts')
      for (const route of routes) checkId(route, 'edghtsrt')
      transact((tx) => {
        declare(tx, id)
        for (const route of routes) declare(tx, route, id)
      })
    },
    endpointConfiguration(id) {
      checkId(id, 'ec')
      transact((tx) => declare(tx, id))
    },
    backend(id) {
      checkId(id, 'bkd')
      transact((tx) => declare(tx, id))
    },
  }
}

/** A backend's prefix says more than "bkd"; the others are whole. */
function checkId(id: string, prefix: string): void {
  if (isIdOf(id, prefix === 'bkd' ? prefix : `${prefix}_`)) return
  throw new TypeError(
    `The id is ${quote(id)}. Allowed: an id that starts with "${prefix}", then "_" and letters or digits.`,
  )
}
