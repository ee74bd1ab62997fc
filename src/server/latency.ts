import { CONTROL_PATH } from '../control/address.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import { splitUrl } from '../gateway/http/url.ts'
import { withTransport } from '../gateway/transport.ts'
import type { Gateway } from '../gateway/types.ts'
import { sleep } from './waiting.ts'

/** Returns the same gateway with responses that are `ms` of real time late. Controls and the inspector answer immediately. */
export function withLatency(gateway: Gateway, ms: number): Gateway {
  const exchange = (request: HttpRequest): HttpResponse => {
    const response = gateway.transport.exchange(request)
    if (request.isInspector || splitUrl(request.url, gateway.url).path.startsWith(`${CONTROL_PATH}/`)) return response
    return { ...response, safe: sleep(ms).then(() => response.safe ?? response) }
  }
  return withTransport(gateway, { exchange })
}
