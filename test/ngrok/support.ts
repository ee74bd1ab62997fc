import { manualClock } from '../../src/engine/manual-clock.ts'
import { createNgrok, type NgrokOptions } from '../../src/gateway/ngrok.ts'
import { type Client, client, outcome, type Sending } from '../support/client.ts'

/** A gateway in the dialect of ngrok at a fixed time, with a client of its HTTP API. */
export function opened(options: Omit<NgrokOptions, 'clock'> = {}) {
  const gateway = createNgrok({ seed: 'ngrok', clock: manualClock('2026-01-01T00:00:00Z'), ...options })
  const send = client(gateway)
  return { gateway, send, refusedBy: refusalsOf(gateway, send) }
}

type Refused = (method: string, path: string, sending?: Sending) => Promise<string>

/** Sends a request that must change nothing, and returns its outcome. */
function refusalsOf(gateway: ReturnType<typeof createNgrok>, send: Client): Refused {
  return async (method, path, sending) => {
    const before = JSON.stringify(gateway.snapshot({ privateKeys: true }))
    const answer = await send(method, path, sending)
    if (JSON.stringify(gateway.snapshot({ privateKeys: true })) !== before) throw new Error('The state has changed.')
    return outcome(answer)
  }
}
