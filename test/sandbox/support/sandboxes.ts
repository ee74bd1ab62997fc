import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'
import type { Answer } from '../../support/client.ts'
import { toAnswer, Workerd } from './workerd.ts'

export { ACCOUNT_KEY } from './workerd.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The options of a sandbox whose clock the test advances. */
export const MANUAL_CLOCK = { clock: 'manual', start: '2026-01-01T00:00:00Z' } as const

/** A domain whose certificate the gateway provisions. */
export const MANAGED_DOMAIN = {
  domain: 'app.example.com',
  certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
} as const

/** The ms between two requests of {@link waitUntil}. Without a pause, the requests would exceed the limit. */
const PAUSE_MS = 20

/** Repeats a request until the response is the expected one, because alarms run in real time. */
export async function waitUntil<T>(send: () => Promise<T>, isExpected: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await send()
    if (isExpected(answer)) return answer
    await pause(PAUSE_MS)
  }
}

/** Runs work for each number below a count, fifty at a time. */
export async function runMany<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const all: T[] = []
  for (let n = 0; n < count; n += 50) {
    all.push(...(await Promise.all(Array.from({ length: Math.min(50, count - n) }, (_, at) => work(n + at)))))
  }
  return all
}

/** A SQL statement, or a key and a value, for the storage of the object with a name. */
export interface StorageCommand {
  readonly namespace: 'SANDBOXES' | 'ACCOUNTS'
  readonly name: string
  readonly put?: readonly [key: string, value: unknown]
  readonly sql?: readonly [statement: string, ...values: (string | number | null)[]]
}

/** The configuration of one instance of a cluster. */
export interface ClusterMember {
  readonly key: string
  /** The factor by which its timeouts for lost instances are shorter. */
  readonly timesFaster: number
}

/** The Worker, one whose moves of the clock are short, or one that holds its commits. */
type Bundle = 'worker' | 'short-moves' | 'held-commits'

/** Sandboxes on this machine, set up like examples/sandbox, with their own state. */
export class SharedSandboxes extends Workerd {
  constructor(env: Readonly<Record<string, string>> = {}, member?: ClusterMember, bundle: Bundle = 'worker') {
    const config = readFileSync(join(root, 'src/sandbox/workerd.capnp'), 'utf8')
    super({ bundle: join(inject('worker'), `${bundle}.bundle.js`), config, env })
    if (!member) return
    mkdirSync(join(this.folder, 'cluster-state'))
    const template = readFileSync(join(root, 'examples/sandbox/cluster.capnp'), 'utf8')
    const localTemplate = template.replace('node_modules/fauxgate/dist/', '')
    const clusterConfig = localTemplate.replace('cluster = (', `cluster = (unsafeTimeDivisor = ${member.timesFaster},`)
    writeFileSync(join(this.folder, 'cluster.capnp'), clusterConfig)
    writeFileSync(join(this.folder, 'cluster.key'), member.key)
    this.args = ['serve', 'cluster.capnp', '--experimental']
  }

  /** Runs `fauxgate sandbox` with this state until it listens. Returns its output. */
  async startByCommand(): Promise<string> {
    const data = join(this.folder, 'state')
    const command = spawn(
      process.execPath,
      [join(inject('worker'), 'cli.mjs'), 'sandbox', '--port=0', `--data=${data}`],
      {
        cwd: join(root, 'test/sandbox/.workerd'),
        env: this.env,
      },
    )
    let output = ''
    for (const stream of [command.stdout, command.stderr]) {
      stream.on('data', (text) => {
        output += text
        if (output.includes('curl')) command.kill()
      })
    }
    const [code] = await once(command, 'close')
    if (code !== 0) throw new Error(output)
    return output
  }

  /** Stops the process, and starts it with other variables. */
  async restart(env: Readonly<Record<string, string>>): Promise<void> {
    await this.kill('SIGTERM')
    this.env = { ...this.env, ...env }
    await this.start()
  }

  /** Stops the process, changes stored objects, and restarts the process. Returns the rows of each statement. */
  async runInStorage(work: readonly StorageCommand[]): Promise<readonly object[][]> {
    const bundle = join(this.folder, 'worker.bundle.js')
    await this.kill('SIGTERM')
    copyFileSync(fileURLToPath(new URL('./raw-storage.js', import.meta.url)), bundle)
    await this.start()
    const { text } = await this.send('POST', '/', { body: work })
    await this.kill('SIGTERM')
    copyFileSync(join(inject('worker'), 'worker.bundle.js'), bundle)
    await this.start()
    return JSON.parse(text)
  }

  /** Copies the objects that another version has written. Must be called before the start. */
  copyStateFrom(folder: string): this {
    cpSync(folder, join(this.folder, 'state'), { recursive: true })
    return this
  }

  get objectFolder(): string {
    return join(this.folder, 'state', 'fauxgate-sandbox')
  }

  /** Returns the files of sandbox objects, without the files of the platform itself. */
  get files(): readonly string[] {
    return readdirSync(this.objectFolder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
  }

  /** Sends a request with exactly this path and host. `fetch` would normalize the path. */
  sendExactly(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    localAddress = '127.0.0.1',
  ): Promise<Answer> {
    const options = { port: this.port, host: '127.0.0.1', localAddress, method, path, headers, agent: false }
    return new Promise((resolve, reject) => {
      const clientRequest = request(options, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('end', () => resolve(toAnswer(response.statusCode ?? 0, new Headers(), text)))
      })
      clientRequest.on('error', reject).end()
    })
  }

  /** Returns the names of all sandboxes, in order. */
  async listNames(): Promise<string[]> {
    const { body } = await this.callAccount('GET', '/s?limit=1000')
    return body.sandboxes.map(({ name }: { name: string }) => name)
  }

  /** Creates a sandbox. */
  async create(name: string, options: object = {}): Promise<SandboxClient> {
    return new SandboxClient(this, await this.createWithKeys(name, options))
  }
}

/** Starts sandboxes for all tests of a file. */
export function useSandboxes(env?: Readonly<Record<string, string>>): SharedSandboxes {
  const sandboxes = new SharedSandboxes(env)
  beforeAll(() => sandboxes.start())
  afterAll(() => sandboxes.stop())
  return sandboxes
}

/** Starts sandboxes for one test. */
export function startSandboxes(env?: Readonly<Record<string, string>>, bundle?: Bundle): Promise<SharedSandboxes> {
  const sandboxes = new SharedSandboxes(env, undefined, bundle)
  onTestFinished(() => sandboxes.stop())
  return sandboxes.start()
}

interface Created {
  readonly name: string
  readonly url: string
  readonly api_key: string
  readonly control_key: string
}

/** A client of one sandbox, with the keys of the sandbox. */
export class SandboxClient {
  constructor(
    readonly server: SharedSandboxes,
    readonly created: Created,
  ) {}

  /** Returns a client of the same sandbox with other keys. */
  withKeys(keys: Partial<Created>): SandboxClient {
    return new SandboxClient(this.server, { ...this.created, ...keys })
  }

  /** Returns a client of the sandbox with the same name at another server. */
  in(server: SharedSandboxes): SandboxClient {
    return new SandboxClient(server, { ...this.created, url: `${server.url}/s/${this.created.name}` })
  }

  get headers() {
    return { authorization: `Bearer ${this.created.api_key}`, 'service-version': '2' }
  }

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.server.send(method, this.created.url + path, { headers: this.headers, body })
  }

  control(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { 'fauxgate-control-key': this.created.control_key }
    return this.server.send(method, `${this.created.url}/_fauxgate${path}`, { headers, body })
  }
}
