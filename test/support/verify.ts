import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock } from '../../src/index.ts'
import type { DialectName } from '../../src/service/resources/dialects.ts'
import type { RecordedExchange } from '../../src/verify/har.ts'
import type { RunLogEntry } from '../../src/verify/run-log.ts'
import { recordingText } from '../../src/verify/sanitize.ts'
import { type VerifyOptions, verify } from '../../src/verify/verify.ts'
import { CLOCK_START } from './clock.ts'
import { upload } from './pem.ts'

/** A deadline that never passes. */
const NEVER = new AbortController().signal

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Creates a gateway that a run verifies, at a fixed time. */
export function gatewayToVerify(dialect: DialectName = 'ngrok'): Gateway {
  const options = { clock: manualClock(CLOCK_START), seed: 'verified' }
  return dialect === 'ngrok' ? createNgrok(options) : createGateway(options)
}

/** The API key of the runs. */
export const KEY = 'a-key-that-nobody-may-see'

/**
 * Runs `verify` against a fetch function, on a clock that advances when the run waits. Returns the report, the log's entries in
 * order, and the times in ms at which requests were sent.
 */
export async function runVerify(fetch: Fetch, options: Partial<VerifyOptions> = {}) {
  let now = CLOCK_START
  const times: number[] = []
  const entries: RunLogEntry[] = []
  const report = await verify({
    dialect: 'ngrok',
    url: 'https://api.example.com',
    key: KEY,
    run: 'test',
    domain: 'example.com',
    upload: upload(),
    isLocal: true,
    isReadOnly: false,
    perMinute: 60,
    timeout: 30_000,
    log: { add: (entry) => void entries.push(entry) },
    signal: new AbortController().signal,
    host: {
      fetch(url, init) {
        times.push(now)
        return fetch(url, init)
      },
      now: () => now,
      async sleep(ms) {
        now += ms
      },
      deadline: () => NEVER,
    },
    ...options,
  })
  return { report, entries, times }
}

/** Runs `verify` at the URL of a gateway, if passed through another fetch function. */
export function verifyGateway(gateway: Gateway, options: Partial<VerifyOptions> = {}, fetch: Fetch = gateway.fetch) {
  return runVerify(fetch, { url: gateway.url, dialect: gateway.dialect.name as DialectName, ...options })
}

/** Returns the exchanges of a run against fauxgate, all with the same time. */
export async function recordExchanges(
  options: Pick<VerifyOptions, 'families' | 'domain'>,
  at = CLOCK_START,
): Promise<RecordedExchange[]> {
  const exchanges: RecordedExchange[] = []
  await verifyGateway(gatewayToVerify(), {
    ...options,
    onExchange: (exchange) => void exchanges.push({ ...exchange, at }),
  })
  return exchanges
}

/** Formats exchanges as the text of a recording. */
export function formatRecording(exchanges: readonly RecordedExchange[], key = KEY): string {
  const info = { client: 'a test', version: '1.0.0', dialect: 'ngrok', url: 'https://api.ngrok.com' } as const
  return recordingText(exchanges, [key], info)
}
