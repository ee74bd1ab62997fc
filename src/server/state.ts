import { existsSync } from 'node:fs'
import { GatewayError } from '../gateway/gateway-error.ts'
import type { HttpRequest } from '../gateway/http/messages.ts'
import { withTransport } from '../gateway/transport.ts'
import type { Gateway } from '../gateway/types.ts'
import type { Snapshot } from '../generated/controls.ts'
import { parseJson, readText, replaceFile } from './files.ts'
import { sleep } from './waiting.ts'

/** The interval at which a changed state is written. */
const WRITE_INTERVAL_MS = 60_000

/** A file that stores the state of a gateway. */
export class StateFile {
  readonly #gateway: Gateway
  readonly #file: string
  #hasChanged = true
  /** The most recent write. Each write waits for the previous write. */
  #lastWrite: Promise<void> = Promise.resolve()
  /** The same gateway, which records whether a request may have changed the state. */
  readonly gateway: Gateway

  constructor(gateway: Gateway, file: string) {
    this.#gateway = gateway
    this.#file = file
    const exchange = (request: HttpRequest) => {
      // Due events follow from the written state, so only requests need a new write.
      if (request.method !== 'GET' && request.method !== 'HEAD') this.#hasChanged = true
      return gateway.transport.exchange(request)
    }
    this.gateway = withTransport(gateway, { exchange })
  }

  write(): Promise<void> {
    const next = async () => {
      this.#hasChanged = false
      try {
        await replaceFile(this.#file, `${JSON.stringify(this.#gateway.snapshot())}\n`)
      } catch (error) {
        this.#hasChanged = true
        throw error
      }
    }
    const written = this.#lastWrite.then(next)
    this.#lastWrite = written.catch(() => undefined)
    return written
  }

  /** Writes the state every minute if it has changed, until the signal aborts. */
  async writeEachMinute(signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (await sleep(WRITE_INTERVAL_MS, signal)) if (this.#hasChanged) await this.write().catch(onError)
  }
}

/**
 * Restores a gateway from a snapshot in a file. Returns false if the file does not exist.
 * @throws Error if the file cannot be read or does not contain a valid snapshot. The message states the location of the problem, but not
 * values that may be secret.
 */
export async function importState(gateway: Gateway, file: string): Promise<boolean> {
  if (!existsSync(file)) return false
  const snapshot: Snapshot = parseJson(await readText(file), file)
  try {
    gateway.restore(snapshot)
    gateway.transport.resumed()
    return true
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { message, details } = error
    throw new Error(`${file} contains no snapshot: ${message}${furtherProblems(details)}`, { cause: error })
  }
}

/** Returns a sentence with the number of problems that the message does not show. */
function furtherProblems({ further_problems: uncounted, ...details }: GatewayError['details']): string {
  const further = Object.keys(details).filter((name) => name.startsWith('field:')).length - 1
  if (uncounted !== undefined) return ` There are more than ${further} more problems.`
  if (further < 1) return ''
  return further === 1 ? ' There is 1 more problem.' : ` There are ${further} more problems.`
}
