import { readClock, systemClock } from '../../engine/clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { HttpRequest } from '../../http/messages.ts'
import { exportState } from './state-file.ts'

/** How often a state that has changed is written. */
const EVERY_MS = 60_000

/** The state of a gateway, kept in a file. */
export class KeptState {
  readonly #gateway: Gateway
  readonly #file: string
  #hasChanged = true
  /** The last write; each waits for the one before. */
  #written: Promise<void> = Promise.resolve()
  /** The same gateway, of which is noted what may change its state. */
  readonly gateway: Gateway

  constructor(gateway: Gateway, file: string) {
    this.#gateway = gateway
    this.#file = file
    const exchange = (request: HttpRequest) => {
      // What becomes due by itself follows from the state, and need not be written again.
      if (request.method !== 'GET' && request.method !== 'HEAD') this.#hasChanged = true
      return gateway.exchange(request)
    }
    this.gateway = Object.create(gateway, { exchange: { value: exchange } })
  }

  /** Writes the state. Rejects where that fails. */
  write(): Promise<void> {
    const next = async () => {
      this.#hasChanged = false
      try {
        await exportState(this.#gateway, this.#file)
      } catch (error) {
        this.#hasChanged = true
        throw error
      }
    }
    const written = this.#written.then(next)
    this.#written = written.catch(() => undefined)
    return written
  }

  /** Writes the state every minute where it has changed, until the signal is aborted; what fails is told. */
  async keep(signal: AbortSignal, told: (error: unknown) => void): Promise<void> {
    while (await waited(EVERY_MS, signal)) if (this.#hasChanged) await this.write().catch(told)
  }
}

/** Waits for some ms of real time. False where the signal was aborted. */
export async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await systemClock.waitUntil?.(readClock(systemClock) + ms, signal)
    return true
  } catch {
    return false
  }
}
