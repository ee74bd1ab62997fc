import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { controlCalls } from '../../src/control/controls.ts'
import { createGateway, type Gateway, GatewayError, ngrok, standard } from '../../src/index.ts'
import { runCommand } from '../../src/server/commands/run.ts'
import { catchError, expectError } from '../support/client.ts'
import { BODY_FIELDS } from '../support/fields.ts'
import { collectCommits } from '../support/gateway.ts'
import { pem, upload } from '../support/pem.ts'
import { check, checkAsync, limitCases } from '../support/property.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
const HOOK = `${ROUTE}/webhook_verification`

const API_KEY = 'ak_3fQzPlanted7XbKey'
const CONTROL_KEY = 'ck_9dTwPlanted2YcKey'
const WEBHOOK_SECRET = 'whsec_8sRvPlanted5Zd'
const COOKIE = 'sess_7hKmPlanted4Qe'
const KEYS = ['key-p256', 'key-rsa2048', 'key-rsa2048-pkcs1', 'key-ed25519', 'key-p521'].map(pem)
/** The texts that must not appear anywhere. A private key counts by its lines. */
const SECRETS = [
  API_KEY,
  CONTROL_KEY,
  WEBHOOK_SECRET,
  COOKIE,
  ...KEYS.flatMap((key) => key.split('\n').filter((line) => line.length > 12 && !line.includes('-----'))),
]

function expectNoSecrets(where: string, text: string): void {
  const leaks = SECRETS.filter((secret) => text.includes(secret))
  if (leaks.length > 0) throw new Error(`${where} has ${leaks.join(', ')}: ${text.slice(0, 2000)}`)
}

/** Ways in which a text may contain a private key. */
const keyFormats: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `see: ${key} and more`,
  (key) => key.replaceAll('\n', '\r\n'),
  (key) => key.replaceAll('\n', ''),
  (key) => key.replaceAll('\n', '\n  '),
  (key) => `${pem('leaf-p256').trimEnd()}${key}`,
  (key) => key.slice(0, key.lastIndexOf('-----END')),
  (key) => JSON.stringify({ key }),
]
const privateKeys = fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...keyFormats)).map(([key, write]) => write(key))
const ownKeys = fc.constantFrom(API_KEY, CONTROL_KEY)
/** A secret that fauxgate recognizes anywhere: a private key by its form, or a key of the gateway. */
const recognizable = fc.oneof(privateKeys, ownKeys, fc.constantFrom(`x ${API_KEY} y`))

const harmlessValues = fc.constantFrom<unknown>('x', 'app.example.com', 'github', 'sns', 'rsa', 5, true, null, 'us')
const fieldNames = fc.constantFrom(...BODY_FIELDS, 'privateKeyPem', 'limit', 'hush')
const secretNames = fc.constantFrom('secret', 'Secret', 'webhook_secret', 'clientSecret', 'private_key_pem')

/** JSON with recognizable secrets at random places. */
const { value: jsonValues } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: harmlessValues },
    { weight: 3, arbitrary: recognizable },
    { weight: 2, arbitrary: fc.dictionary(fc.oneof(fieldNames, recognizable), tie('value'), { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
  ),
}))

const fields = fc.dictionary(fc.oneof({ weight: 9, arbitrary: fieldNames }, recognizable), jsonValues, { maxKeys: 5 })
/** A body, which may have the webhook secret in a field with a secret name, and then also elsewhere. */
const bodies = fc
  .tuple(fields, fc.option(secretNames, { nil: undefined }), fc.boolean(), fc.boolean())
  .map(([ownFields, secretName, isRepeated, isWrapped]) => {
    const copies = isRepeated ? { description: `the ${WEBHOOK_SECRET}!`, provider: WEBHOOK_SECRET } : {}
    const all = { ...ownFields, ...(secretName && { ...copies, [secretName]: WEBHOOK_SECRET }) }
    return JSON.stringify(isWrapped ? { module: all } : all)
  })
const createRequest = (method: string, path: string, body?: object) => {
  return { method, path, query: '', body: body ? JSON.stringify(body) : '' }
}
const tls = { type: 'terminate-tls', config: { server_private_key: KEYS[0] } }
const acceptedRequests = fc.constantFrom(
  createRequest('PUT', HOOK, { provider: 'github', secret: WEBHOOK_SECRET }),
  createRequest('PUT', HOOK, { provider: 'slack', secret: KEYS[0] }),
  createRequest('GET', HOOK),
  createRequest('DELETE', HOOK),
  createRequest('POST', '/tls_certificates', upload('p256')),
  createRequest('POST', '/tls_certificates', { ...upload('rsa2048'), description: KEYS[2]?.slice(0, 200) }),
  createRequest('POST', '/tls_certificates', { certificate_pem: KEYS[1], private_key_pem: pem('leaf-rsa2048') }),
  createRequest('POST', '/reserved_addrs', { description: KEYS[4], metadata: `by ${API_KEY}` }),
  createRequest('PUT', `${ROUTE}/policy`, { inbound: [{ name: KEYS[3], actions: [tls] }] }),
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
      recognizable.map((secret) => secret.replaceAll(/[^ -~]/g, ' ')),
    ),
    { maxLength: 2 },
  ),
  credential: fc.constantFrom(
    null,
    ['Cookie', `theme=dark; session=${COOKIE};lang=en`],
    ['Proxy-Authorization', `Bearer ${COOKIE}`],
    ...['X-Auth-Token', 'x-api-key', 'My-Secret', 'client_secret'].map((name) => [name, COOKIE]),
  ),
})
const singleRequests = fc.oneof(
  { weight: 1, arbitrary: acceptedRequests },
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
        recognizable,
        bodies.map((body) => `[${body}]`),
      ),
    }),
  },
)
const requests = fc.array(fc.tuple(singleRequests, headers), { minLength: 1, maxLength: 6 })

type SentRequest = typeof requests extends fc.Arbitrary<readonly (infer Each)[]> ? Each : never

async function send(
  gateway: Gateway,
  [{ method, path, query, body }, { authorization, version, type, more, credential }]: SentRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const all = Object.entries({
    authorization,
    [gateway.dialect.versionHeader]: version,
    'content-type': type,
    'fauxgate-control-key': CONTROL_KEY,
  }).filter((header): header is [string, string] => header[1] !== null)
  all.push(...more, ...(credential ? [credential as [string, string]] : []))
  const content = method !== 'GET' && method !== 'HEAD' && { body }
  const response = await gateway.fetch(`${gateway.url}${path}${query}`, { method, headers: all, ...content })
  return { status: response.status, text: await response.text() }
}

async function callControl(gateway: Gateway, path: string, method = 'GET'): Promise<string> {
  const response = await gateway.fetch(`${gateway.url}/_fauxgate${path}`, {
    method,
    headers: { 'fauxgate-control-key': CONTROL_KEY, 'content-type': 'application/json' },
    ...(method === 'POST' && { body: '{}' }),
  })
  expect(response.status).toBe(200)
  return response.text()
}

const consoleLines: string[] = []
beforeEach(() => {
  consoleLines.length = 0
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, name).mockImplementation(
      (...words: unknown[]) => void consoleLines.push(words.map(String).join(' ')),
    )
  }
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** The path of every GET call of the controls that needs no parameter. */
const READ_PATHS = controlCalls
  .filter(({ method }) => method === 'GET')
  .filter(({ path }) => !/^\/(provisioning\/timeline|snapshots\/difference|openapi\..*)$/.test(path))
  .map(({ path }) => path)

describe('Secrets at any place', () => {
  test('appear in no journal line, commit, snapshot, error or log, over HTTP in both dialects', {
    timeout: 120_000,
  }, async () => {
    const statuses = new Set<number>()
    const property = fc.asyncProperty(requests, fc.constantFrom(standard, ngrok), async (sequence, dialect) => {
      const gateway = createGateway({
        dialect,
        keys: [API_KEY],
        control: { key: CONTROL_KEY },
        clock: { now: () => 0 },
      })
      const commits = collectCommits(gateway)
      await callControl(gateway, '/snapshots', 'POST')
      for (const each of sequence) {
        const { status, text } = await send(gateway, each)
        statuses.add(status)
        if (status >= 400) expectNoSecrets('an error', text)
      }
      expectNoSecrets('the journal', JSON.stringify(gateway.requests.all()))
      expectNoSecrets('GET /_fauxgate/requests?after', await callControl(gateway, '/requests?after=op_none'))
      expectNoSecrets('the commits', JSON.stringify(commits))
      expectNoSecrets('the snapshot', JSON.stringify(gateway.snapshot()))
      for (const path of READ_PATHS) expectNoSecrets(`GET /_fauxgate${path}`, await callControl(gateway, path))
      const difference = await callControl(gateway, '/snapshots/difference?from=Snapshot%201')
      expectNoSecrets('the difference of two snapshots', difference)
      expectNoSecrets('the console', consoleLines.join('\n'))
    })
    await checkAsync(property, { numRuns: 200 })
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 404]))
  })

  test('appear in no error of the direct API', () => {
    check(
      fc.property(bodies, recognizable, (body, text) => {
        const gateway = createGateway({ keys: [API_KEY], control: { key: CONTROL_KEY } })
        const sentBody = JSON.parse(body)
        const ids = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
        const calls = [
          () => gateway.webhookVerification.replace(ids, sentBody),
          () => gateway.tlsCertificates.create(sentBody),
          () => gateway.reservedAddrs.create(sentBody),
          () => gateway.reservedDomains.create(sentBody),
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
          expectNoSecrets('an error of the direct API', JSON.stringify([error.message, error.details]))
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
  ])('appear in no error about the options of a gateway (%#)', (options) => {
    const error = expectError(() => createGateway(options))
    expect(error).toBeInstanceOf(TypeError)
    expectNoSecrets('an error', error.message)
  })

  test.each([
    [`/reserved_addrs?key=${API_KEY}`],
    [`/x#${API_KEY}`],
    [`/${KEYS[0]}`],
    [`${standard.baseUrl}/x`, KEYS[0]],
  ])('appear in no error of fetch (%#)', async (url, method = 'GET') => {
    const error = await createGateway({ keys: [API_KEY] })
      .fetch(url, { method })
      .catch((each) => each)
    expect(error).toBeInstanceOf(TypeError)
    expectNoSecrets('an error', error.message)
  })

  test('appear in no error about a damaged state file', async () => {
    const output: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => output.push(String(text)) > 0)
    const folder = await mkdtemp(join(tmpdir(), 'fauxgate-secrets-'))
    const file = join(folder, 'state.json')
    for (const secret of [WEBHOOK_SECRET, API_KEY, ...KEYS]) {
      const unreadableTexts = [secret, `{"secret":${secret}`, `{"version":1,"secret":"${secret}"x}`]
      for (const text of [...unreadableTexts, JSON.stringify({ version: secret, secret })]) {
        await writeFile(file, text)
        expect(await runCommand(['serve', '--key', API_KEY, '--port', '0', '--state', file])).toBe(1)
      }
    }
    await rm(folder, { recursive: true })
    expect(output.join('')).toContain('is not JSON: at line 1, column 1')
    expectNoSecrets('the error output', output.join(''))
  })

  test('appear in no error of the command', async () => {
    const output: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => output.push(String(text)) > 0)
    vi.stubEnv('FAUXGATE_CONTROL_KEY', CONTROL_KEY)
    const flags = ['port', 'dialect', 'clock', 'references', 'dns', 'base-url', 'renewal-lead', 'empty-json-on-delete']
    const wrongOptions = [
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
    for (const options of wrongOptions) {
      for (const key of [['--key', API_KEY], [`--key=${API_KEY}`], ['--key', ` ${API_KEY}`, '--key', API_KEY]]) {
        for (const args of [
          ['serve', ...key, ...options],
          [...options, ...key],
        ])
          expect(await runCommand(args)).toBeGreaterThan(0)
      }
    }
    vi.unstubAllEnvs()
    expect(output.length).toBeGreaterThan(100)
    expectNoSecrets('the error output', output.join(''))
  })
})
