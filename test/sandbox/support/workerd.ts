import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ownPort } from '../../../scripts/own-port.mjs'
import type { Answer } from '../../support/client.ts'

/** The program of workerd. `npm run test:sandbox` installs it and says where. */
export const WORKERD = process.env.WORKERD ?? 'workerd'

export const ACCOUNT_KEY = 'the key of the account'

/** A Worker: the path of its bundle, the text of its configuration, and its variables except the account key. */
interface Worker {
  readonly bundle: string
  readonly config: string
  readonly env?: Readonly<Record<string, string>>
  /** The path of the program. Default: {@link WORKERD}. */
  readonly program?: string
}

interface RequestParts {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A process of workerd with a Worker and its own state, which can be killed and started again. */
export class Workerd {
  readonly folder = mkdtempSync(join(tmpdir(), 'fauxgate-workerd-'))
  readonly #program: string
  env: Readonly<Record<string, string>>
  /** The arguments of the program, before those that say where it listens. */
  args: readonly string[] = ['serve', 'workerd.capnp']
  port = 0
  process: ChildProcess | undefined

  constructor({ bundle, config, env = {}, program = WORKERD }: Worker) {
    this.#program = program
    this.env = { ACCOUNT_KEY, ...env }
    mkdirSync(join(this.folder, 'state'))
    writeFileSync(join(this.folder, 'workerd.capnp'), config)
    copyFileSync(bundle, join(this.folder, 'worker.bundle.js'))
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Starts the process, on the same port as before if it was started already. */
  async start(): Promise<this> {
    this.port ||= await ownPort()
    const server = spawn(this.#program, [...this.args, `--socket-addr=http=127.0.0.1:${this.port}`, '--control-fd=3'], {
      cwd: this.folder,
      env: this.env,
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    })
    this.process = server
    const events = server.stdio[3] as Readable
    await new Promise<void>((resolve, reject) => {
      events.on('data', (text) => {
        const messages = String(text).trim().split('\n')
        if (messages.some((line) => JSON.parse(line).socket === 'http')) resolve()
      })
      server.once('exit', (code) => reject(new Error(`workerd ended with ${code}.`)))
    })
    return this
  }

  /** Ends the process with a signal: SIGKILL, like a power cut, or SIGTERM. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const server = this.process
    this.process = undefined
    if (!server) return
    const exit = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await exit
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async send(method: string, url: string, { headers = {}, body }: RequestParts = {}): Promise<Answer> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(url.startsWith('/') ? this.url + url : url, {
      method,
      headers: { ...type, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return toAnswer(response.status, response.headers, await response.text())
  }

  /** Calls the account with its key. */
  callAccount(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(method, path, { headers: { 'fauxgate-account-key': ACCOUNT_KEY }, body })
  }

  /** Creates a sandbox. Returns its description with its keys. */
  async createWithKeys(name: string, options: object = {}): Promise<Answer['body']> {
    const { status, body, text } = await this.callAccount('PUT', `/s/${name}`, options)
    if (status !== 201) throw new Error(text)
    return body
  }
}

export function toAnswer(status: number, headers: Headers, text: string): Answer {
  return { status, headers, text, body: headers.get('content-type') === 'application/json' ? JSON.parse(text) : text }
}
