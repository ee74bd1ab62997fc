import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readClock, systemClock } from '../../core/engine/clock.ts'
import { timeOfDay } from '../log/log.ts'

/** A running `fauxgate serve` on this machine, with the facts that it registered when it started. */
export interface RunningServer {
  readonly url: string
  /** The time of day at which it started, such as `12:03`, or undefined for a server that did not register here. */
  readonly started?: string | undefined
}

/** A server with the file that registers it. */
interface RegisteredServer extends RunningServer {
  readonly file: string
}

/** Registers a server, so that the same user's commands find it. Returns a function that removes the entry. */
export function registerServer(url: string, environment: NodeJS.ProcessEnv): () => void {
  const folder = registryFolder(environment)
  const file = join(folder, `${process.pid}-${new URL(url).port}.json`)
  try {
    const started = timeOfDay(readClock(systemClock)).slice(0, 'HH:MM'.length)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOwnFolder(folder)) return () => undefined
    // A killed server leaves its entry behind. With the same URL, this server would be listed twice.
    for (const each of readRegistered(folder)) if (each.url === url) rmSync(each.file, { force: true })
    writeFileSync(file, JSON.stringify({ url, started }), { mode: 0o600 })
  } catch {
    // Without a writable folder, commands need --url for servers at another port.
  }
  return () => rmSync(file, { force: true })
}

/** Returns the running servers of this user, and removes the entries of servers that `isRunning` rejects. */
export async function registeredServers(
  environment: NodeJS.ProcessEnv,
  isRunning: (url: string) => Promise<boolean>,
): Promise<readonly RunningServer[]> {
  const registered = readRegistered(registryFolder(environment))
  const states = await Promise.all(registered.map(({ url }) => isRunning(url)))
  for (const [index, { file }] of registered.entries()) if (!states[index]) rmSync(file, { force: true })
  return registered.filter((_, index) => states[index])
}

/** Returns the time at which the server at a URL started, if it registered itself. */
export function findStartTime(url: string, environment: NodeJS.ProcessEnv): string | undefined {
  const { origin } = new URL(url)
  return readRegistered(registryFolder(environment)).find((each) => each.url === origin)?.started
}

function readRegistered(folder: string): readonly RegisteredServer[] {
  // The folder does not exist before this user's first server.
  if (!existsSync(folder) || !isOwnFolder(folder)) return []
  return readdirSync(folder).flatMap((name) => readEntry(join(folder, name)))
}

/** Returns the server that a file registers, if any. */
function readEntry(file: string): RegisteredServer[] {
  try {
    const { url, started } = Object(JSON.parse(readFileSync(file, 'utf8')))
    return typeof url === 'string' && URL.canParse(url) ? [{ file, url, started: String(started) }] : []
  } catch {
    // The file is not JSON, or its server has just ended.
    return []
  }
}

/**
 * Returns whether a folder belongs to this user. All users share the folder for temporary files, so another user could register any server
 * there.
 */
function isOwnFolder(folder: string): boolean {
  return process.getuid === undefined || statSync(folder).uid === process.getuid()
}

function registryFolder({ XDG_RUNTIME_DIR }: NodeJS.ProcessEnv): string {
  return join(XDG_RUNTIME_DIR || tmpdir(), `fauxgate-${process.getuid?.() ?? 'servers'}`)
}
