import { isManual, readClock } from '../../core/engine/clock.ts'
import { timestamp } from '../../core/schema/time.ts'
import type { Delivery } from '../../gateway/http/messages.ts'
import { type Transport, withTransport } from '../../gateway/transport.ts'
import type { Gateway } from '../../gateway/types.ts'
import { pathOf } from '../gateways.ts'
import { sleep } from '../waiting.ts'

/** The real time after which a request that waits for a manual clock is reported, in ms. */
const NOTICE_AFTER_MS = 10_000

/**
 * Returns the same gateway, which also prints a notice if a request waits for a clock that nothing advances. Its client may hang forever.
 */
export function withWaitingNotice(gateway: Gateway, warn: (text: string) => void): Gateway {
  const delivered: Transport['delivered'] = async (response, options) => {
    const { delivery } = response
    if (!delivery || !isManual(gateway.clock)) return gateway.transport.delivered(response, options)
    const start = readClock(gateway.clock)
    const end = new AbortController()
    void sleep(NOTICE_AFTER_MS, end.signal).then((isOver) => {
      if (isOver && readClock(gateway.clock) === start) warn(describe(gateway, delivery))
    })
    try {
      return await gateway.transport.delivered(response, options)
    } finally {
      end.abort()
    }
  }
  const sibling: Gateway['transport']['sibling'] = (own) => withWaitingNotice(gateway.transport.sibling(own), warn)
  return withTransport(gateway, { delivered, sibling })
}

function describe(gateway: Gateway, { notBefore, operationId }: Delivery): string {
  const entry = gateway.requests.all().find((each) => each.operationId === operationId)
  const request = entry ? `${entry.method} ${pathOf(gateway)}${entry.path}` : `request ${operationId}`
  const until = timestamp(Math.ceil(notBefore / 1000) * 1000)
  return `${request} is waiting for the clock: a fault delays its response until ${until}, and nothing has advanced the clock for ${NOTICE_AFTER_MS / 1000} s.`
}
