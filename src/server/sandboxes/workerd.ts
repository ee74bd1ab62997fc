import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { asSystemError } from '../errors.ts'
import { sleep } from '../waiting.ts'

/**
 * Returns the path of workerd's binary, from the current folder's packages or from the packages next to fauxgate.
 * @throws Error that explains how to install it.
 */
export function findWorkerd(): string {
  for (const place of [join(process.cwd(), 'package.json'), import.meta.url]) {
    const required = createRequire(place)
    if (!canResolve(required)) continue
    try {
      return required('workerd').default
    } catch (error) {
      throw new Error(`workerd cannot run here: ${asSystemError(error).message}`, { cause: error })
    }
  }
  throw new Error(
    'workerd, which runs the sandboxes, is not installed here. Install it with "npm install --save-dev workerd" ' +
      '(about 120 MB), or run "npx -p fauxgate -p workerd fauxgate sandbox".',
  )
}

function canResolve(required: NodeJS.Require): boolean {
  try {
    return required.resolve('workerd') !== ''
  } catch {
    return false
  }
}

/** The workerd configuration, written by the build. It lists the Worker's modules. */
const CONFIG = new URL('./workerd.capnp', import.meta.url)

/** The time allowed for the last requests. It must be shorter than the 10 s after which Docker kills a container. */
const STOP_TIMEOUT_MS = 3000

/**
 * Starts a process that ends workerd if this process is killed. A kill closes the pipe between the two processes. Otherwise, workerd would
 * keep its port and its folder.
 */
function startWatchdog(pid: number): ChildProcess {
  const program = `process.stdin.resume().on('end', () => { try { process.kill(${pid}, 'SIGKILL') } catch {} })`
  const watchdog = spawn(process.execPath, ['-e', program], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Only this process handles signals from the terminal.
    detached: true,
    windowsHide: true,
  })
  watchdog.once('error', () => undefined)
  watchdog.unref()
  return watchdog
}

/** A workerd process that runs the sandboxes' Worker. */
export class Workerd {
  readonly #child: ChildProcess
  /** True after the first call of `stop`. */
  isStopping = false
  /** Resolves with a description of how the process ended, such as "with code 1". Rejects if the process could not be started. */
  readonly ended: Promise<string>

  /** Starts workerd. `host` is written as it would be in a URL. */
  constructor(binary: string, host: string, port: number, folder: string, environment: NodeJS.ProcessEnv) {
    const options = [`--socket-addr=http=${host}:${port}`, `--directory-path=state=${folder}`, '--control-fd=3']
    this.#child = spawn(binary, ['serve', fileURLToPath(CONFIG), ...options], {
      env: environment,
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      // In the same process group, Ctrl-C would kill workerd while its files are open. SIGTERM lets workerd close the files.
      detached: true,
      windowsHide: true,
    })
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('exit', (code, signal) => resolve(signal ? `because of ${signal}` : `with code ${code}`))
      this.#child.once('error', reject)
    })
    const { pid } = this.#child
    const watchdog = pid === undefined ? undefined : startWatchdog(pid)
    const stopWatchdog = () => void watchdog?.kill('SIGKILL')
    this.ended.then(stopWatchdog, stopWatchdog)
  }

  /**
   * Waits until workerd listens, and returns its port.
   * @throws Error if the process ends earlier.
   */
  async listening(): Promise<number> {
    const events = createInterface(this.#child.stdio[3] as Readable) // The constructor opened it as a pipe.
    for await (const line of events) {
      const { socket, port } = JSON.parse(line)
      if (socket === 'http') return port
    }
    throw new Error(`workerd exited ${await this.ended} before it was listening.`)
  }

  /** Stops workerd after its last response, or after {@link STOP_TIMEOUT_MS} at the latest. A second call stops it immediately. */
  stop(): void {
    this.#child.kill(this.isStopping ? 'SIGKILL' : 'SIGTERM')
    this.isStopping = true
    const over = new AbortController()
    const abort = () => over.abort()
    this.ended.then(abort, abort)
    // workerd would wait for open WebSockets, and an inspector keeps one for as long as its page is open.
    void sleep(STOP_TIMEOUT_MS, over.signal).then(() => this.#child.kill('SIGKILL'))
  }
}
