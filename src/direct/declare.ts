import type { ControlHost } from '../control/control-operation.ts'
import { declareControl } from '../control/declare.ts'
import type { Guarded } from './provisioning.ts'

/**
 * Makes things exist that this API refers to and cannot create. It matters with `references: 'declared'` only. Each
 * function throws a GatewayError `field_invalid` for an id of another type.
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

/** Makes the `declare` of a gateway. */
export function declareApi(host: ControlHost, guarded: Guarded): Declare {
  const declare = (sent: object) => guarded(() => declareControl.run(host, sent))
  return {
    edge: (edge, options = {}) => declare({ edge, ...options }),
    endpointConfiguration: (id) => declare({ endpoint_configuration: id }),
    backend: (backend) => declare({ backend }),
  }
}
