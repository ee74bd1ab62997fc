import { readClock, stopwatch } from '../../core/engine/clock.ts'
import { Refusal } from '../../core/schema/errors.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { UpstreamResponse } from '../../traffic/message.ts'
import type { ServedRequest } from '../../traffic/traffic.ts'
import { messageOf } from '../errors.ts'
import type { LoggedRequest } from '../log/log.ts'

/** Logs a visitor's request. */
export type VisitorLog = (request: LoggedRequest) => void

interface LoggedVisit {
  readonly gateway: Gateway
  readonly log: VisitorLog
  readonly sent: Pick<ServedRequest, 'method' | 'url'>
}

/** Returns the same response, and logs the request once the response's head is available. */
export async function logVisit(
  visited: Promise<UpstreamResponse>,
  { gateway, log, sent: { method, url } }: LoggedVisit,
) {
  const elapsed = stopwatch()
  const say = (outcome: Pick<LoggedRequest, 'status' | 'error' | 'message'>) =>
    log({
      ...{ at: readClock(gateway.clock), method, path: url.replace(/\?.*$/, ''), operation: null, duration: elapsed() },
      ...outcome,
    })
  try {
    const response = await visited
    const { status, headers } = response
    say({ status, error: headers.get(gateway.dialect.errorCodeHeader) ?? null, message: null })
    return response
  } catch (error) {
    // The port responds with 501 to requests that only the real service could handle.
    say({ status: error instanceof Refusal ? 501 : null, error: null, message: messageOf(error) })
    throw error
  }
}
