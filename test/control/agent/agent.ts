import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { type ManualClock, manualClock } from '../../../src/index.ts'
import { CLOCK_START } from '../../support/clock.ts'

/** The option of an account that has reserved example.com. */
export const OWN_DOMAIN = { initial: { reservedDomains: [{ domain: 'example.com' }] } }

/** Makes a gateway, and a function that calls the API of its agent. */
export function createWithAgent(options: Omit<NgrokOptions<ManualClock>, 'clock'> = {}) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), seed: 'agent', ...options })
  const call = async (method: string, path: string, body?: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const init = body === undefined ? {} : { body: text, headers: { 'content-type': 'application/json' } }
    const response = await gateway.agent.fetch(`http://127.0.0.1:4040${path}`, { method, ...init })
    const received = await response.text()
    return { status: response.status, body: received === '' ? undefined : JSON.parse(received) }
  }
  const control = async (method: string, path: string, body?: object) => {
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
    const response = await gateway.fetch(`http://localhost/_fauxgate${path}`, { method, ...init })
    return { status: response.status, body: response.status === 204 ? undefined : await response.json() }
  }
  /** Returns the names that `GET /api/tunnels` lists. */
  const names = async (): Promise<string[]> =>
    (await call('GET', '/api/tunnels')).body.tunnels.map(({ name }: { name: string }) => name)
  return { gateway, call, control, names }
}

const ZEROS = { rate1: 0, rate5: 0, rate15: 0, p50: 0, p90: 0, p95: 0, p99: 0 }

/** The metrics of a tunnel that nothing passed. */
export const NO_METRICS = { conns: { count: 0, gauge: 0, ...ZEROS }, http: { count: 0, ...ZEROS } }
