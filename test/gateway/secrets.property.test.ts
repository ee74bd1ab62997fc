import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { controlCalls } from '../../src/controls.ts'
import { createGateway, type Gateway, GatewayError, ngrok, standard } from '../../src/index.ts'
import { runCommand } from '../../src/server/commands/run.ts'
import { catchError, expectError } from '../support/client.ts'
import { BODY_FIELDS } from '../support/fields.ts'
import { collectCommits } from '../support/gateway.ts'
import { pem, upload } from '../support/pem.ts'
import { check, limitCases } from '../support/property.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
const HOOK = `${ROUTE}/webhook_verification`

const API_KEY = 'ak_3fQzPlanted7XbKey'
const CONTROL_KEY = 'ck_9dTwPlanted2YcKey'
const WEBHOOK_SECRET = 'whsec_8sRvPlanted5Zd'
const COOKIE = 'sess_7hKmPlanted4Qe'
const KEYS = ['key-p256', 'key-rsa2048', 'key-rsa2048-pkcs1', 'key-ed25519', 'key-p521'].map(pem)
/** The texts that must not be seen anywhere: of a private key, its lines. */
const PLANTED = [
  API_KEY,
  CONTROL_KEY,
  WEBHOOK_SECRET,
  COOKIE,
  ...KEYS.flatMap((key) => key.split('\n').filter((line) => line.length > 12 && !line.includes('-----'))),
]

function expectNothing(where: string, text: string): void {
  const found = PLANTED.filter((secret) => text.includes(secret))
  if (found.length > 0) throw new Error(`${where} has ${found.join(', ')}: ${text.slice(0, 2000)}`)
}

/** Ways in which a private key may be written in a text. */
const writings: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `see: ${key} and more`,
  (key) => key.replaceAll('\n', '\r\n'),
  (key) => key.replaceAll('\n', ''),
  (key) => key.replaceAll('\n', '\n  '),
  (key) => `${pem('leaf-p256').trimEnd()}${key}`,
  (key) => key.slice(0, key.lastIndexOf('-----END')),
  (key) => JSON.stringify({ key }),
]
const privateKeys = fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...writings)).map(([key, write]) => write(key))
const ownKeys = fc.constantFrom(API_KEY, CONTROL_KEY)
/** A secret that is known by itself: private keys by their form, the gateway's keys because it has them. */
const known = fc.oneof(privateKeys, ownKeys, fc.constantFrom(`x ${API_KEY} y`))

const harmless = fc.constantFrom<unknown>('x', 'app.example.com', 'github', 'sns', 'rsa', 5, true, null, 'us')
const fieldNames = fc.constantFrom(...BODY_FIELDS, 'privateKeyPem', 'limit', 'hush')
const secretNames = fc.constantFrom('secret', 'Secret', 'webhook_secret', 'clientSecret', 'private_key_pem')

/** JSON with secrets that are known by themselves at random places. */
const { value: planted } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: harmless },
    { weight: 3, arbitrary: known },
    { weight: 2, arbitrary: fc.dictionary(fc.oneof(fieldNames, known), tie('value'), { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
  ),
}))

const fields = fc.dictionary(fc.oneof({ weight: 9, arbitrary: fieldNames }, known), planted, { maxKeys: 5 })
/** A body, and perhaps the webhook secret under a secret name; only then it may be elsewhere in the request too. */
const bodies = fc
  .tuple(fields, fc.option(secretNames, { nil: undefined }), fc.boolean(), fc.boolean())
  .map(([own, secretName, twice, wrapped]) => {
    const repeated = twice ? { description: `the ${WEBHOOK_SECRET}!`, provider: WEBHOOK_SECRET } : {}
    const all = { ...own, ...(secretName && { ...repeated, [secretName]: WEBHOOK_SECRET }) }
    return JSON.stringify(wrapped ? { module: all } : all)
  })
const request = (method: string, path: string, body?: object) => {
  return { method, path, query: '', body: body ? JSON.stringify(body) : '' }
}
const tls = { type: 'terminate-tls', config: { server_private_key: KEYS[0] } }
const accepted = fc.constantFrom(
  request('PUT', HOOK, { provider: 'github', secret: WEBHOOK_SECRET }),
  request('PUT', HOOK, { provider: 'slack', secret: KEYS[0] }),
  request('GET', HOOK),
  request('DELETE', HOOK),
  request('POST', '/tls_certificates', upload('p256')),
  request('POST', '/tls_certificates', { ...upload('rsa2048'), description: KEYS[2]?.slice(0, 200) }),
  request('POST', '/tls_certificates', { certificate_pem: KEYS[1], private_key_pem: pem('leaf-rsa2048') }),
  request('POST', '/reserved_addrs', { description: KEYS[4], metadata: `by ${API_KEY}` }),
  request('PUT', `${ROUTE}/policy`, { inbound: [{ name: KEYS[3], actions: [tls] }] }),
)

const paths = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('/reserved_addrs', '/reserved_domains', '/tls_certificates') },
  { weight: 3, arbitrary: fc.constantFrom('/backends/weighted', HOOK, `${ROUTE}/policy`, `${ROUTE}/compression`) },
  ownKeys.map((secret) => `/reserved_domains/${secret}`),
  ownKeys.map((secret) => `/edges/https/${secret}/routes/edghtsrt_1/policy`),
  ownKeys.map((secret) => `/tunnels/${secret}/x`),
)
const queries = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  ownKeys.map((secret) => `?filter=${secret}`),
  ownKeys.map((secret) => `?before_id=${secret}&limit=${secret}`),
  ownKeys.map((secret) => `?${secret}`),
  fc
    .constantFrom('api_key', 'secret', 'Secret', 'token', 'private_key_pem')
    .map((name) => `?${name}=${WEBHOOK_SECRET}`),
)
const headers = fc.record({
  authorization: fc.oneof(
    { weight: 8, arbitrary: fc.constant(`Bearer ${API_KEY}`) },
    fc.constantFrom(null, API_KEY, `Basic ${API_KEY}`, 'Bearer another-key-that-is-wrong'),
  ),
  version: fc.oneof(
    { weight: 8, arbitrary: fc.constant('2') },
    fc.constantFrom(null, API_KEY, KEYS[0]?.replaceAll('\n', '') ?? ''),
  ),
  type: fc.oneof({ weight: 8, arbitrary: fc.constant('application/json') }, fc.constantFrom(null, API_KEY)),
  more: fc.array(
    fc.tuple(
      fc.constantFrom('X-Note', 'user-agent', 'Origin', 'X-Api-Key', 'Access-Control-Request-Headers'),
      known.map((secret) => secret.replaceAll(/[^ -~]/g, ' ')),
    ),
    { maxLength: 2 },
  ),
  carried: fc.constantFrom(
    null,
    ['Cookie', `theme=dark; session=${COOKIE};lang=en`],
    ['Proxy-Authorization', `Bearer ${COOKIE}`],
    ...['X-Auth-Token', 'x-api-key', 'My-Secret', 'client_secret'].map((name) => [name, COOKIE]),
  ),
})
const drawn = fc.oneof(
  { weight: 1, arbitrary: accepted },
  {
    weight: 3,
    arbitrary: fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE') },
        fc.constantFrom(`GET${API_KEY}`, 'BREW', 'OPTIONS', 'HEAD'),
      ),
      path: paths,
      query: queries,
      body: fc.oneof(
        { weight: 6, arbitrary: bodies },
        fc.constant(''),
        bodies.map((body) => body.slice(0, -1)),
        known,
        bodies.map((body) => `[${body}]`),
      ),
    }),
  },
)
const requests = fc.array(fc.tuple(drawn, headers), { minLength: 1, maxLength: 6 })

type Drawn = typeof requests extends fc.Arbitrary<readonly (infer Each)[]> ? Each : never

async function send(
  gateway: Gateway,
  [{ method, path, query, body }, { authorization, version, type, more, carried }]: Drawn,
): Promise<{ readonly status: number; readonly text: string }> {
  const all = Object.entries({
    authorization,
    [gateway.dialect.versionHeader]: version,
    'content-type': type,
    'fauxgate-control-key': CONTROL_KEY,
  }).filter((header): header is [string, string] => header[1] !== null)
  all.push(...more, ...(carried ? [carried as [string, string]] : []))
  const content = method !== 'GET' && method !== 'HEAD' && { body }
  const response = await gateway.fetch(`${gateway.url}${path}${query}`, { method, headers: all, ...content })
  return { status: response.status, text: await response.text() }
}

async function control(gateway: Gateway, path: string, method = 'GET'): Promise<string> {
  const response = await gateway.fetch(`${gateway.url}/_fauxgate${path}`, {
    method,
    headers: { 'fauxgate-control-key': CONTROL_KEY, 'content-type': 'application/json' },
    ...(method === 'POST' && { body: '{}' }),
  })
  expect(response.status).toBe(200)
  return response.text()
}

const printed: string[] = []
beforeEach(() => {
  printed.length = 0
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, name).mockImplementation((...words: unknown[]) => void printed.push(words.map(String).join(' ')))
  }
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Every GET call of a control that needs no parameter. */
const READS = controlCalls
  .filter(({ method }) => method === 'GET')
  .filter(({ path }) => !/^\/(provisioning\/timeline|snapshots\/difference|openapi\..*)$/.test(path))
  .map(({ path }) => path)

describe('Secrets, wherever they are planted', () => {
  test('appear in no journal line, commit, snapshot, error or log, over HTTP in both dialects', {
    timeout: 120_000,
  }, async () => {
    const statuses = new Set<number>()
    const property = fc.asyncProperty(requests, fc.constantFrom(standard, ngrok), async (drawnRequests, dialect) => {
      const gateway = createGateway({
        dialect,
        keys: [API_KEY],
        control: { key: CONTROL_KEY },
        clock: { now: () => 0 },
      })
      const commits = collectCommits(gateway)
      await control(gateway, '/snapshots', 'POST')
      for (const each of drawnRequests) {
        const { status, text } = await send(gateway, each)
        statuses.add(status)
        if (status >= 400) expectNothing('an error', text)
      }
      expectNothing('the journal', JSON.stringify(gateway.requests.all()))
      expectNothing('GET /_fauxgate/requests?after', await control(gateway, '/requests?after=op_none'))
      expectNothing('the commits', JSON.stringify(commits))
      expectNothing('the snapshot', JSON.stringify(gateway.snapshot()))
      for (const path of READS) expectNothing(`GET /_fauxgate${path}`, await control(gateway, path))
      const difference = await control(gateway, '/snapshots/difference?from=Snapshot%201')
      expectNothing('the difference of two snapshots', difference)
      expectNothing('the console', printed.join('\n'))
    })
    await fc.assert(property, {
      numRuns: 200,
      ...(process.env.FAUXGATE_SEED && { seed: Number(process.env.FAUXGATE_SEED) }),
    })
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 404]))
  })

  test('appear in no error of the direct API', () => {
    check(
      fc.property(bodies, known, (body, text) => {
        const gateway = createGateway({ keys: [API_KEY], control: { key: CONTROL_KEY } })
        const sent = JSON.parse(body)
        const ids = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
        const calls = [
          () => gateway.webhookVerification.replace(ids, sent),
          () => gateway.tlsCertificates.create(sent),
          () => gateway.reservedAddrs.create(sent),
          () => gateway.reservedDomains.create(sent),
          () => gateway.reservedDomains.get(text),
          () => gateway.reservedAddrs.list({ filter: text }),
          () => gateway.requests.all({ path: text }),
          () => gateway.faults.add({ error: text as never }),
          () => gateway.dns.cname(text, text),
          () => gateway.declare.edge(text),
        ]
        for (const call of calls) {
          const error = catchError(call)
          if (!error) continue
          expect(error).toBeInstanceOf(GatewayError)
          expectNothing('an error of the direct API', JSON.stringify([error.message, error.details]))
        }
      }),
      { numRuns: limitCases(200) },
    )
  })

  test.each<object>([
    { keys: API_KEY },
    { keys: [` ${API_KEY}`] },
    { control: CONTROL_KEY },
    { control: { key: `${CONTROL_KEY} ` } },
    { seed: KEYS },
    { baseUrl: KEYS[0] },
    { [KEYS[0] ?? '']: 1 },
  ])('stand in no error about the options of a gateway (%#)', (options) => {
    const error = expectError(() => createGateway(options))
    expect(error).toBeInstanceOf(TypeError)
    expectNothing('an error', error.message)
  })

  test.each([
    [`/reserved_addrs?key=${API_KEY}`],
    [`/x#${API_KEY}`],
    [`/${KEYS[0]}`],
    [`${standard.baseUrl}/x`, KEYS[0]],
  ])('stand in no error of fetch (%#)', async (url, method = 'GET') => {
    const error = await createGateway({ keys: [API_KEY] })
      .fetch(url, { method })
      .catch((each) => each)
    expect(error).toBeInstanceOf(TypeError)
    expectNothing('an error', error.message)
  })

  test('appear in no error about a damaged state file', async () => {
    const written: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    const folder = await mkdtemp(join(tmpdir(), 'fauxgate-secrets-'))
    const file = join(folder, 'state.json')
    for (const secret of [WEBHOOK_SECRET, API_KEY, ...KEYS]) {
      const unread = [secret, `{"secret":${secret}`, `{"version":1,"secret":"${secret}"x}`]
      for (const text of [...unread, JSON.stringify({ version: secret, secret })]) {
        await writeFile(file, text)
        expect(await runCommand(['serve', '--key', API_KEY, '--port', '0', '--state', file])).toBe(1)
      }
    }
    await rm(folder, { recursive: true })
    expect(written.join('')).toContain('is not JSON: at line 1, column 1')
    expectNothing('the error output', written.join(''))
  })

  test('appear in no error of the command', async () => {
    const written: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    vi.stubEnv('FAUXGATE_CONTROL_KEY', CONTROL_KEY)
    const flags = ['port', 'dialect', 'clock', 'references', 'dns', 'base-url', 'renewal-lead', 'empty-json-on-delete']
    const wrong = [
      ...flags.map((flag) => [`--${flag}`, API_KEY]),
      ['--port', CONTROL_KEY],
      ['--clock', 'manual', '--start', API_KEY],
      ['--seed', ''],
      [API_KEY],
      [`--${API_KEY}`],
      ['--port'],
      ['--host', KEYS[0] ?? ''],
      ['--dialect', KEYS[0] ?? ''],
      ['--state', '/dev/null', '--port', '99999'],
    ]
    for (const options of wrong) {
      for (const key of [['--key', API_KEY], [`--key=${API_KEY}`], ['--key', ` ${API_KEY}`, '--key', API_KEY]]) {
        for (const args of [
          ['serve', ...key, ...options],
          [...options, ...key],
        ])
          expect(await runCommand(args)).toBeGreaterThan(0)
      }
    }
    vi.unstubAllEnvs()
    expect(written.length).toBeGreaterThan(100)
    expectNothing('the error output', written.join(''))
  })
})
