import { expect, it, onTestFinished, vi } from 'vitest'
import { type Failure, ObjectPlatform } from '../../support/objects.ts'
import { describeSqlite } from '../../support/sqlite.ts'

vi.mock('cloudflare:workers', () => import('../../support/cloudflare-workers.ts'))
vi.mock('../../../src/sandbox/pages.ts', () => import('../../support/no-pages.ts'))

const ACCOUNT_KEY = 'the account key of this test'
const HOST = 'http://sandboxes.example.com'

type Answer = { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }

/** A Worker with its objects, and the keys that its client has received. */
class Client {
  readonly platform: ObjectPlatform
  readonly #worker: { fetch(request: Request, environment: object): Promise<Response> }
  /** The API key of each sandbox whose creation was confirmed. */
  readonly keys = new Map<string, string>()

  constructor({ default: worker, Sandbox, Account }: typeof import('../../../src/sandbox/index.ts')) {
    this.#worker = worker
    this.platform = new ObjectPlatform({ SANDBOXES: Sandbox, ACCOUNTS: Account }, { ACCOUNT_KEY })
  }

  async send(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const headers = {
      ...(key ? { authorization: `Bearer ${key}`, 'service-version': '2' } : { 'fauxgate-account-key': ACCOUNT_KEY }),
      'content-type': 'application/json',
    }
    const request = new Request(HOST + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const response = await this.#worker.fetch(request, this.platform.environment())
    const text = await response.text()
    return { status: response.status, body: text && JSON.parse(text) }
  }

  /** Describes the visible state: the sandboxes of the list, and the addresses and keys of each. */
  async describeState(isRestarted = false): Promise<string> {
    const { body } = await this.send('GET', '/s')
    const sandboxes = []
    for (const { name } of body.sandboxes) {
      const { status, body: keyList } = await this.send('GET', `/s/${name}/keys`)
      // It was registered but not created. Nobody has its keys, and its alarm removes it from the account.
      if (status === 404 && !isRestarted) continue
      expect(status, `${name} is in the list`).toBe(200)
      const { body: probe } = await this.send('POST', `/s/${name}/keys`, { name: 'looks', scopes: ['read'], ttl: '1m' })
      const { body: addresses } = await this.send('GET', `/s/${name}/reserved_addrs`, undefined, probe.key)
      await this.send('DELETE', `/s/${name}/keys/looks`)
      const texts = addresses.reserved_addrs?.map(({ description }: { description: string }) => description)
      sandboxes.push([name, texts, keyList.keys?.map((key: { name: string }) => key.name)])
    }
    for (const [name, key] of this.keys) {
      if (sandboxes.some(([known]) => known === name)) continue
      const { status } = await this.send('GET', `/s/${name}/reserved_addrs`, undefined, key)
      expect(status, `${name} is not in the list`).toBeGreaterThan(400)
    }
    return JSON.stringify(sandboxes)
  }
}

type Step = (client: Client) => Promise<Answer>

/** Creates a step whose response has the keys of a sandbox. */
const createKeyStep =
  (method: string, path: string): Step =>
  async (client) => {
    const answer = await client.send(method, path, {})
    const [, , name = ''] = path.split('/')
    if (answer.status < 300) client.keys.set(name, answer.body.api_key)
    return answer
  }

const STEPS: readonly Step[] = [
  createKeyStep('PUT', '/s/one'),
  (client) => client.send('POST', '/s/one/reserved_addrs', { description: 'first' }, client.keys.get('one')),
  (client) => client.send('POST', '/s/one/keys', { name: 'ci', scopes: ['api'] }),
  createKeyStep('POST', '/s/one/keys'),
  (client) => client.send('POST', '/s/one/fork', { name: 'two' }),
  (client) => client.send('DELETE', '/s/one/keys/ci'),
  (client) => client.send('DELETE', '/s/one'),
  createKeyStep('PUT', '/s/one'),
]

const NOW = Date.parse('2026-01-01T00:00:00Z')

/** Runs steps, of which the last one meets a failure. Returns the state before it, and whether it was confirmed. */
async function runUntil(last: number, failure: Failure | undefined, client: Client) {
  for (const step of STEPS.slice(0, last)) expect((await step(client)).status).toBeLessThan(300)
  const before = await client.describeState()
  client.platform.failure = failure && { ...failure, step: failure.step + client.platform.steps }
  const startSteps = client.platform.steps
  const status = await STEPS[last]?.(client).then(
    (answer) => answer.status,
    () => undefined,
  )
  const steps = client.platform.steps - startSteps
  return { before, steps, isConfirmed: status !== undefined && status < 300 }
}

describeSqlite(
  'Sandboxes whose process ends, or whose objects do not reach one another, at any step of a session',
  () => {
    it('keep the confirmed changes, have no rejected ones, and accept the same call again (rules: stores#failures)', async () => {
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOW })
      onTestFinished(() => void vi.useRealTimers())
      // The Worker prints the failures.
      const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined)
      onTestFinished(() => errors.mockRestore())
      const sandbox = await import('../../../src/sandbox/index.ts')
      const createClient = () => {
        const client = new Client(sandbox)
        onTestFinished(() => client.platform.close())
        return client
      }
      let points = 0
      for (const last of STEPS.keys()) {
        const failureFree = createClient()
        const { before, steps } = await runUntil(last, undefined, failureFree)
        const after = await failureFree.describeState()
        for (const kind of ['kill', 'lost', 'lost after'] as const) {
          for (let step = 0; step < steps; step++) {
            const client = createClient()
            const { isConfirmed } = await runUntil(last, { step, kind }, client)
            if (!client.platform.hasFailed) continue
            points++
            if (kind === 'kill') await client.platform.restart(NOW + 2000)
            const state = await client.describeState(kind === 'kill')
            const where = `step ${last}, ${kind} at ${step}`
            expect(isConfirmed ? [after] : [before, after], where).toContain(state)
            if (state === before && before !== after) {
              expect((await STEPS[last]?.(client))?.status, `${where}, again`).toBeLessThan(300)
              expect(await client.describeState(), `${where}, again`).toBe(after)
            }
          }
        }
      }
      expect(points).toBeGreaterThan(100)
    })
  },
)
