import { CONTROL_PATH } from '../control/address.ts'
import { createIds } from '../core/engine/ids.ts'
import { createRandomSource } from '../core/engine/random.ts'
import { drawMs, type Range } from '../core/schema/time.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import { splitUrl } from '../gateway/http/url.ts'
import { withTransport } from '../gateway/transport.ts'
import type { Gateway } from '../gateway/types.ts'
import { sleep } from './waiting.ts'

/**
 * Returns the same gateway, with responses delayed in real time. The seed determines each delay within the range. Controls and the
 * inspector respond immediately.
 */
export function withLatency(gateway: Gateway, range: Range, seed: string): Gateway {
  const ids = createIds(createRandomSource(seed))
  let count = 0
  const exchange = (request: HttpRequest): HttpResponse => {
    const response = gateway.transport.exchange(request)
    if (request.isInspector || splitUrl(request.url, gateway.url).path.startsWith(`${CONTROL_PATH}/`)) return response
    const ms = drawMs(range, (below) => ids.integer(below, 'latency', count++))
    return { ...response, safe: sleep(ms).then(() => response.safe ?? response) }
  }
  const sibling: Gateway['transport']['sibling'] = (own) => withLatency(gateway.transport.sibling(own), range, seed)
  return withTransport(gateway, { exchange, sibling })
}
