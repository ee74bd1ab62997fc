import { dialectFamilies } from '../gateway/dialect-families.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { AnyOptions } from '../gateway/options.ts'
import { type DialectName, dialects } from '../service/resources/dialects.ts'
import { requestInit } from './client.ts'
import { type ApiRequest, type ApiResponse, readResponse } from './exchange.ts'

/** A separate gateway. Its responses are compared with a service's. */
export interface ReferenceGateway {
  send(request: ApiRequest): Promise<ApiResponse>
  /** Empties the gateway. */
  reset(): void
}

/** Creates a gateway with all families of a dialect, at the service's URL. */
export function createReferenceGateway(dialect: DialectName, url: string, now: () => number): ReferenceGateway {
  const { versionHeader } = dialects[dialect]
  const options: AnyOptions = {
    dialect: dialects[dialect],
    families: dialectFamilies[dialect],
    clock: { now },
    baseUrl: url,
    seed: 'reference',
  }
  const gateway = createGateway(options)
  return {
    send: async (request) =>
      readResponse(await gateway.fetch(url + request.path, requestInit(request, 'reference', versionHeader))),
    reset: () => gateway.reset(),
  }
}
