import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock } from '../../src/index.ts'
import type { DialectName } from '../../src/resources/dialects.ts'
import type { RunLogEntry } from '../../src/verify/run-log.ts'
import { type VerifyOptions, verify } from '../../src/verify/verify.ts'
import { upload } from './pem.ts'
import { NEW_YEAR } from './provisioning.ts'

/** A gateway for a run to ask, at a fixed time. */
export function asked(dialect: DialectName = 'ngrok'): Gateway {
  const options = { clock: manualClock(NEW_YEAR), seed: 'asked' }
  return dialect === 'ngrok' ? createNgrok(options) : createGateway(options)
}

/** The key of the runs of tests. */
export const KEY = 'a-key-that-nobody-may-see'

/**
 * Runs `verify` against a fetch function, on a clock that jumps where a run waits. Returns the report, the entries of the list
 * in order, and the times in ms at which requests were sent.
 */
export async function verified(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  options: Partial<VerifyOptions> = {},
) {
  let now = Date.parse(NEW_YEAR)
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
      deadline: () => new AbortController().signal,
    },
    ...options,
  })
  return { report, entries, times }
}

/** The URL of a gateway that runs ask. */
export function urlOf(gateway: Gateway) {
  return { url: gateway.url, dialect: gateway.dialect.name as DialectName }
}
