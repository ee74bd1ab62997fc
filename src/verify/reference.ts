import { dialectFamilies } from '../gateway/dialect-families.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { AnyOptions } from '../gateway/options.ts'
import { type DialectName, dialects } from '../resources/dialects.ts'
import { initOf } from './asker.ts'
import { type Answer, type AskedRequest, answerOf } from './exchange.ts'

/** A separate gateway. Its responses are compared with the responses of a service. */
export interface Reference {
  ask(request: AskedRequest): Promise<Answer>
  /** Empties the gateway. */
  reset(): void
}

/** Creates a gateway with all families of a dialect, at the URL of the service. */
export function referenceFor(dialect: DialectName, url: string, now: () => number): Reference {
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
    ask: async (request) =>
      answerOf(await gateway.fetch(url + request.path, initOf(request, 'reference', versionHeader))),
    reset: () => gateway.reset(),
  }
}
