// Workers in processes of workerd, each with a state of its own.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ownPort } from '../../scripts/own-port.mjs'
import { root } from '../../scripts/shared.mjs'
import { installedWorkerd } from '../../scripts/workerd.mjs'
import { cpuOf } from '../measure.mjs'

const ACCOUNT_KEY = 'the key of the account'

/** A Worker of this folder with objects, in a process that can be killed and started again. */
export class Served {
  #folder = mkdtempSync(join(tmpdir(), 'fauxgate-bench-'))
  #binary = installedWorkerd('the sandboxes')
  port = 0

  static async of(name, env = {}) {
    const served = new Served()
    await served.#bundle(name)
    served.env = { ACCOUNT_KEY, MOST_REQUESTS: '999999999', MOST_SANDBOXES: '100000', ...env }
    return await served.start()
  }

  async #bundle(name) {
    await build({
      entryPoints: [join(root, `bench/sandbox/${name}.js`)],
      outfile: join(this.#folder, 'worker.bundle.js'),
      bundle: true,
      format: 'esm',
      target: 'es2022',
      external: ['cloudflare:workers'],
      logLevel: 'error',
    })
    mkdirSync(join(this.#folder, 'state'))
    const config = readFileSync(join(root, 'src/sandbox/workerd.capnp'), 'utf8')
    const own = name === 'bare' ? config.replace(/"Sandbox"/g, '"Bare"').replace(/.*"Account".*\n/g, '') : config
    writeFileSync(join(this.#folder, 'workerd.capnp'), own)
  }

  async start() {
    this.port ||= await ownPort()
    const args = ['serve', 'workerd.capnp', `--socket-addr=http=127.0.0.1:${this.port}`, '--control-fd=3']
    this.child = spawn(this.#binary, args, {
      cwd: this.#folder,
      env: this.env,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    this.port = await new Promise((resolve, reject) => {
      this.child.stdio[3].on('data', (text) => resolve(JSON.parse(String(text).split('\n')[0]).port))
      this.child.once('exit', (code) => reject(new Error(`workerd ended with ${code}.`)))
    })
    return this
  }

  kill() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Promise.resolve()
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill('SIGKILL')
    return ended
  }

  async stop() {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Processor time so far, in ms. */
  get cpu() {
    return cpuOf(this.child)
  }

  /** Memory that is its own, in bytes. */
  get memory() {
    const text = readFileSync(`/proc/${this.child.pid}/smaps_rollup`, 'utf8')
    return Number(/^Private_Dirty: +(\d+)/m.exec(text)[1]) * 1024
  }

  async ask(method, path, headers = {}, body) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text && JSON.parse(text) }
  }

  /** Creates a sandbox; returns its description and its keys. */
  async created(name, options = {}) {
    const { status, body } = await this.ask('PUT', `/s/${name}`, { 'fauxgate-account-key': ACCOUNT_KEY }, options)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body
  }

  /** Creates a sandbox; returns the headers of its clients. */
  async create(name, options) {
    const { api_key } = await this.created(name, options)
    return { headers: { authorization: `Bearer ${api_key}`, 'service-version': '2' } }
  }
}
