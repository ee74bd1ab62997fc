import { existsSync } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Snapshot } from '../control/snapshot.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { GatewayError } from '../gateway/gateway-error.ts'
import { withTransport } from '../gateway/transport.ts'
import type { HttpRequest } from '../http/messages.ts'
import { jsonIn, notWritten, realFile, textOf } from './files.ts'
import { waited } from './waiting.ts'

/** The time between two writes of a changed state. */
const EVERY_MS = 60_000

/** A file that the state of a gateway is written to. */
export class StateFile {
  readonly #gateway: Gateway
  readonly #file: string
  #hasChanged = true
  /** The last write; each waits for the one before. */
  #written: Promise<void> = Promise.resolve()
  /** The same gateway, which notes the requests that may change the state. */
  readonly gateway: Gateway

  constructor(gateway: Gateway, file: string) {
    this.#gateway = gateway
    this.#file = file
    const exchange = (request: HttpRequest) => {
      // What becomes due by itself follows from the state, and need not be written again.
      if (request.method !== 'GET' && request.method !== 'HEAD') this.#hasChanged = true
      return gateway.transport.exchange(request)
    }
    this.gateway = withTransport(gateway, { exchange })
  }

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

  /** Writes the state each minute if it has changed, until the signal is aborted. */
  async writeEachMinute(signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
    while (await waited(EVERY_MS, signal)) if (this.#hasChanged) await this.write().catch(onError)
  }
}

/**
 * Restores a gateway from a snapshot in a file; a file that does not exist leaves it unchanged.
 * @throws Error if the file cannot be read or has no snapshot. Its message says where in the file, and repeats nothing of it
 * that may be secret.
 */
export async function importState(gateway: Gateway, file: string): Promise<void> {
  if (!existsSync(file)) return
  const snapshot: Snapshot = jsonIn(await textOf(file), file)
  try {
    gateway.restore(snapshot)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { message, details } = error
    throw new Error(`${file} holds no snapshot: ${message}${furtherProblems(details)}`, { cause: error })
  }
}

/** Counts the problems beside the one of the message. */
function furtherProblems({ further_problems: counted = '0', ...details }: GatewayError['details']): string {
  const named = Object.keys(details).length - 1
  const further = named + Number.parseInt(counted, 10)
  const atLeast = counted.endsWith('more') ? 'at least ' : ''
  if (further === 0) return ''
  return further === 1 ? ' There is 1 more problem.' : ` There are ${atLeast}${further} more problems.`
}

/** Writes a gateway's snapshot to a file, readable by its owner only; a reader sees the old file or the whole new one. */
export async function exportState(gateway: Gateway, file: string): Promise<void> {
  let part: string | undefined
  try {
    const target = realFile(file)
    part = partOf(target)
    await writeWhole(part, `${JSON.stringify(gateway.snapshot())}\n`)
    await rename(part, target)
  } catch (error) {
    if (part !== undefined) await rm(part, { force: true })
    throw notWritten(file, error)
  }
}

/**
 * Makes sure that a state can be written to a file, without touching what is in it, and removes the parts that writes left
 * whose process ended in the middle.
 * @throws Error if it cannot be.
 */
export async function requireWritable(file: string): Promise<void> {
  try {
    const target = realFile(file)
    for (const name of await readdir(dirname(target))) {
      const isPart = name.startsWith(basename(target)) && /^\.\d+\.part$/.test(name.slice(basename(target).length))
      if (isPart) await rm(join(dirname(target), name), { force: true })
    }
    await writeWhole(partOf(target), '')
    await rm(partOf(target))
  } catch (error) {
    throw notWritten(file, error)
  }
}

/** Returns the name of the part that this process writes, beside the file. */
function partOf(file: string): string {
  return `${file}.${process.pid}.part`
}

/** Writes a new file to the disk, whole. */
async function writeWhole(file: string, text: string): Promise<void> {
  await rm(file, { force: true })
  // Nobody else's file, and no link to one.
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
