import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readClock, systemClock } from '../../engine/clock.ts'
import { jsonOf } from '../../verify/exchange.ts'
import { caught } from '../errors.ts'
import { timeOfDay } from '../log/log.ts'

/** A server of `fauxgate serve` on this machine, as it registered itself when it started. */
export interface RunningServer {
  readonly url: string
  /** The time of day at which it started, such as `12:03`; undefined for a server that did not register here. */
  readonly started?: string | undefined
}

/** A server with the file that registers it. */
interface Registered extends RunningServer {
  readonly file: string
}

/** Registers a server, so that commands of the same user find it. Returns a function that removes the entry. */
export function registerServer(url: string, environment: NodeJS.ProcessEnv): () => void {
  const folder = folderOf(environment)
  const file = join(folder, `${process.pid}-${new URL(url).port}.json`)
  try {
    const started = timeOfDay(readClock(systemClock)).slice(0, 'HH:MM'.length)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOwn(folder)) return () => undefined
    // Left by a server that was killed: now it would name this one twice.
    for (const each of registeredIn(folder)) if (each.url === url) rmSync(each.file, { force: true })
    writeFileSync(file, JSON.stringify({ url, started }), { mode: 0o600 })
  } catch {
    // Without a folder to write to, commands need --url for servers at another port.
  }
  return () => rmSync(file, { force: true })
}

/** Returns the servers that this user started, and removes the entries of those for which `isThere` is false. */
export async function registeredServers(
  environment: NodeJS.ProcessEnv,
  isThere: (url: string) => Promise<boolean>,
): Promise<readonly RunningServer[]> {
  const registered = registeredIn(folderOf(environment))
  const answers = await Promise.all(registered.map(({ url }) => isThere(url)))
  for (const [index, { file }] of registered.entries()) if (!answers[index]) rmSync(file, { force: true })
  return registered.filter((_, index) => answers[index])
}

/** Returns when the server at a URL started, if it registered itself. */
export function startOf(url: string, environment: NodeJS.ProcessEnv): string | undefined {
  const { origin } = new URL(url)
  return registeredIn(folderOf(environment)).find((each) => each.url === origin)?.started
}

function registeredIn(folder: string): readonly Registered[] {
  try {
    if (!isOwn(folder)) return []
    const files = readdirSync(folder).map((name) => join(folder, name))
    return files.flatMap((file) => serverIn(file, readFileSync(file, 'utf8')))
  } catch (error) {
    // No server of this user has started yet, or one just ended.
    if (caught(error).code !== undefined) return []
    throw error
  }
}

function serverIn(file: string, text: string): Registered[] {
  const { url, started } = Object(jsonOf(text))
  return typeof url === 'string' && URL.canParse(url) ? [{ file, url, started: String(started) }] : []
}

/** The folder for temporary files is shared: a folder of another user there could name any server. */
function isOwn(folder: string): boolean {
  return process.getuid === undefined || statSync(folder).uid === process.getuid()
}

function folderOf({ XDG_RUNTIME_DIR }: NodeJS.ProcessEnv): string {
  return join(XDG_RUNTIME_DIR || tmpdir(), `fauxgate-${process.getuid?.() ?? 'servers'}`)
}
