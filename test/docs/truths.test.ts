import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createNgrok, type Ngrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { createGateway, type Gateway, manualClock, ngrok, standard } from '../../src/index.ts'
import { PLATFORM } from '../../src/sandbox/platform-limits.ts'
import { allCommands } from '../../src/server/commands/all.ts'
import {
  assertStrict,
  certificatePair,
  issuedDomain,
  type Life,
  survives,
  uploadedDomain,
} from '../../src/testing/testing.ts'
import { CLOCK_START } from '../support/clock.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').replace(/\s+/g, ' ')

describe('docs/ngrok.md', () => {
  test('names the field of each list that has another name than its family', () => {
    const gateway = createNgrok()
    const fields = Object.entries(gateway).flatMap(([family, { list }]) => {
      if (typeof list !== 'function') return []
      // One needs an id, and the other is no family.
      if (family === 'eventSources') return ['sources in eventSources']
      if (family === 'sentEvents') return []
      const [field = ''] = Object.keys(list()).filter((name) => name !== 'uri' && name !== 'next_page_uri')
      const snake = family.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
      return field === snake ? [] : [family.endsWith('Backends') ? field : `${field} in ${family}`]
    })
    const sentence = /Some lists use another field name: (.*?)\./.exec(read('docs/ngrok.md'))?.[1] ?? ''
    const named = sentence
      .replaceAll('`', '')
      .replace(' in all backend families', '')
      .split(/, (?:and )?/)
    expect(named.toSorted()).toEqual([...new Set(fields)].toSorted())
  })

  test('names the size of a page without a limit, which is the maximum limit', async () => {
    const gateway = createNgrok()
    for (let n = 0; n < 101; n++) gateway.reservedAddrs.create()
    const { reserved_addrs, next_page_uri } = gateway.reservedAddrs.list()
    expect([reserved_addrs.length, next_page_uri === null]).toEqual([100, false])
    expect(() => gateway.reservedAddrs.list({ limit: 101 })).toThrow()
    expect(gateway.reservedAddrs.list({ limit: 100 }).reserved_addrs).toHaveLength(100)
    expect(read('docs/ngrok.md')).toContain('By default, a page contains up to 100 resources, the maximum `limit`.')
  })

  test('names types of fauxgate/ngrok', () => {
    const [sentence = ''] =
      /`fauxgate\/ngrok` exports request and response types, such as ([^.]*)\./.exec(read('docs/ngrok.md')) ?? []
    const types = sentence.match(/Reserved\w+/g) ?? []
    expect(types).toHaveLength(3)
    const names = readFileSync(new URL('../../docs/api/names.txt', import.meta.url), 'utf8').split('\n')
    const ofNgrok = names.filter((line) => line.includes('fauxgate/ngrok'))
    expect(types.filter((type) => !ofNgrok.some((line) => new RegExp(`\\b${type}\\b`).test(line)))).toEqual([])
  })
})

test('docs/standard.md says that both dialects number errors alike, and where their statuses differ', async () => {
  const [ours, theirs] = [openApi(standard), openApi(ngrok, { families: ngrokFamilies })].map(
    ({ components }) => components.examples,
  )
  const errors = Object.entries(ours ?? {}).map(([key, { value }]) => ({ key, value, other: theirs?.[key]?.value }))
  const numberOf = (code?: string) => code?.replace(/^\D+/, '')
  expect(errors.filter(({ value, other }) => numberOf(value.error_code) !== numberOf(other?.error_code))).toEqual([])
  const others = errors.filter(({ value, other }) => value.status_code !== other?.status_code).map(({ key }) => key)
  expect(others.toSorted()).toEqual(['auth_invalid', 'auth_missing', 'auth_unparsable', 'domain_taken'])
  expect(read('docs/standard.md')).toContain(
    'except for the two kinds above, a sent authtoken (206: 401, not 400), and a wrong method (405, not 404).',
  )
  const statuses = [createGateway({ keys: ['key'] }), createNgrok({ keys: ['key'] })].map(async (gateway) => {
    gateway.faults.add({ error: 'auth_is_authtoken' })
    const init = { headers: { authorization: 'Bearer key', 'Service-Version': '2', 'Ngrok-Version': '2' } }
    const failed = await gateway.fetch(`${gateway.url}/reserved_addrs`, init)
    const wrong = await gateway.fetch(`${gateway.url}/reserved_addrs`, { ...init, method: 'PUT' })
    return [failed.status, wrong.status]
  })
  expect(await Promise.all(statuses)).toEqual([
    [401, 405],
    [400, 404],
  ])
})

test('docs/sandbox.md names the limits of Cloudflare that the sandboxes keep to', () => {
  const { requestsPerSecond, cpuSeconds, memoryMb, storageGb, rowBytes } = PLATFORM
  expect(read('docs/sandbox.md')).toContain(
    `are about ${requestsPerSecond.toLocaleString('en')} requests per second, ${cpuSeconds} s of processor time per request, ` +
      `${memoryMb} MB of memory, ${storageGb} GB of storage, and ${rowBytes / 1e6} MB per row.`,
  )
})

describe('docs/state.md says which keys the JSON of a snapshot restores in another gateway:', () => {
  const keyOf = (gateway: Ngrok, id: string) => catchMessage(() => gateway.authority.privateKeyPem(id))
  const catchMessage = (call: () => string) => {
    try {
      return call()
    } catch (error) {
      return String(error)
    }
  }
  test.each([
    ['those of automatic certificates, by default', issuedDomain, 'test', true],
    ['none with fresh keys', issuedDomain, 'fresh', false],
    ['none of uploads', uploadedDomain, 'test', false],
  ] as const)('%s', (_what, build, authorityKeys, isSame) => {
    const create = () => createNgrok({ clock: manualClock('2026-01-01T00:00:00Z'), authorityKeys })
    const [gateway, other] = [create(), create()]
    const { id } = build(gateway, { domain: 'app.example.com' }).certificate
    other.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    expect(keyOf(other, id) === keyOf(gateway, id)).toBe(isSame)
    const before = keyOf(gateway, id)
    gateway.restore(gateway.snapshot())
    expect(keyOf(gateway, id)).toBe(before)
    expect(read('docs/state.md')).toContain("except for automatic certificates' keys")
  })
})

test('docs/ngrok.md says which domains have a target and a policy', () => {
  const gateway = createNgrok()
  const { id: certificate_id } = gateway.tlsCertificates.create(certificatePair({ names: ['b.example.com'] }))
  const shownOf = (body: { domain: string; certificate_id?: string }) => {
    const { cname_target, certificate_management_policy } = gateway.reservedDomains.create(body)
    return [cname_target !== null, certificate_management_policy !== null]
  }
  expect(shownOf({ domain: 'foo.ngrok.app' })).toEqual([false, false])
  expect(shownOf({ domain: 'app.example.com' })).toEqual([true, true])
  expect(shownOf({ domain: 'b.example.com', certificate_id })).toEqual([true, false])
  expect(read('docs/ngrok.md')).toContain(
    'has neither a `cname_target` nor a certificate policy. Any other domain gets a policy, unless',
  )
})

test('docs/faults.md says that an unknown name or path of a fault throws', () => {
  const gateway = createNgrok()
  // A misspelt name is no type error in JavaScript.
  const add = (fault: object) => () => gateway.faults.add(fault)
  expect(add({ operation: 'reserved_domains.craete' })).toThrow('operation is "reserved_domains.craete". Allowed:')
  expect(add({ path: '/reserved_domain' })).toThrow('path is "/reserved_domain". Allowed:')
  expect(read('docs/faults.md')).toContain('an unknown name or path throws |')
})

describe('The status of a name that is reserved already', () => {
  const headers = {
    authorization: 'Bearer k',
    'content-type': 'application/json',
    'ngrok-version': '2',
    'service-version': '2',
  }
  const statusOf = async (gateway: Gateway) => {
    const init = { method: 'POST', headers, body: '{"domain":"app.example.com"}' }
    await gateway.fetch(`${gateway.url}/reserved_domains`, init)
    return (await gateway.fetch(`${gateway.url}/reserved_domains`, init)).status
  }

  test('is the same on each page that has it', async () => {
    const ngrok = await statusOf(createNgrok())
    const standard = await statusOf(createGateway())
    expect(read('docs/options.md')).toContain(
      `${ngrok} in the \`ngrok\` dialect, as observed in ngrok, and ${standard} in`,
    )
    expect(read('docs/from-msw.md')).toContain(
      `ngrok has been observed to return ${ngrok}, so \`createNgrok\` returns ${ngrok} as well.`,
    )
    expect(read('docs/differences.md')).toContain(
      `fauxgate returns ${ngrok} in \`ngrok\`; \`quirks.takenStatus\` lets a test try both.`,
    )
    expect(read('docs/standard.md')).toContain(`| a name that is reserved already | ${ngrok} | ${standard} |`)
  })
})

test('docs/traffic.md has the default ports of fauxgate http', () => {
  const { flags } = allCommands.find(({ name }) => name === 'http') ?? { flags: [] }
  const portOf = (flag: string) => flags.find((each) => each.flag === flag)?.sentence.match(/Default: (\d+)\.$/)?.[1]
  const page = read('docs/traffic.md')
  expect(page).toContain(`| ${portOf('traffic')}, or the next free one | the endpoint's visitors, over HTTP |`)
  expect(page).toContain(`| ${portOf('traffic-tls')}, or the next free one | the endpoint's visitors, over TLS |`)
  expect(page).toContain(`| ${portOf('agent')}, or the next free one | the [agent's API]`)
  expect(page).toContain(`| ${portOf('port')} | ngrok's API, the controls, and the inspector |`)
})

test('docs/concepts.md says which leftovers there are: all, and those that requests created', async () => {
  const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z'), initial: { reservedAddrs: [{}] } })
  gateway.reservedAddrs.create()
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json', 'ngrok-version': '2' }
  await gateway.fetch(`${gateway.url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })
  expect(gateway.leftovers()).toHaveLength(2)
  expect(gateway.leftovers({ ofTest: false })).toHaveLength(1)
  expect(read('docs/concepts.md')).toContain(
    '`gateway.leftovers()` lists them. `toHaveNoLeftovers` counts only those created by requests.',
  )
})

test('README.md shows in its first 30 lines what it is, for whom, and how to install it, then ten statements', () => {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const screen = text.split('\n').slice(0, 30).join('\n')
  expect(screen).toMatch(/An in-process emulator[\s\S]*for tests[\s\S]*## Install[\s\S]*npm install --save-dev/)
  const example = /## Example\n\n```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
  expect(example.split('\n').filter((line) => line !== '' && !line.startsWith('import')).length).toBeLessThanOrEqual(11)
})

describe('The path to the first own test', () => {
  const countWords = (text: string) => text.split(/\s+/).length

  test('is one page of at most 1,200 words after README.md, and ends with the code of the reader', () => {
    const page = readFileSync(new URL('../../docs/getting-started.md', import.meta.url), 'utf8')
    expect(countWords(page)).toBeLessThanOrEqual(1200)
    expect(read('docs/README.md')).toContain('Start with [Your first test](getting-started.md)')
    expect(read('README.md')).toContain('[Your first test][docs/getting-started.md]')
    expect(page.split(/^## /m).at(-1)).toContain('replace `sites.ts` with your own module')
  })

  test('has at most 1,500 words in all with the page on how to connect a client', () => {
    const link = '[Your first test][docs/getting-started.md]'
    const [before = '', after = ''] = read('README.md').split(link)
    const start = `${before}${link}${after.slice(0, after.indexOf('.'))}`
    const words = [start, read('docs/getting-started.md'), read('docs/connecting.md')].map(countWords)
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1500)
  })
})

test('The page on assertions names the fields of an entry of the journal, except its operation id', async () => {
  const gateway = createNgrok()
  await gateway.fetch(`${gateway.url}/reserved_addrs`)
  const fields = Object.keys(gateway.requests.last() ?? {}).filter((name) => name !== 'operationId')
  expect(fields).toContain('requestHeaders')
  const [section = ''] = /## Requests .*? ## /.exec(read('docs/assertions.md')) ?? []
  expect(fields.filter((name) => !section.includes(`\`${name}\``))).toEqual([])
})

test('docs/survives.md names what `disk` has', async () => {
  const found: string[] = []
  await survives(
    async ({ disk, url }) => {
      found.push(...Object.keys(disk))
      await fetch(`${url}/reserved_addrs`, { headers: { Authorization: 'Bearer key', 'Ngrok-Version': '2' } })
    },
    { create: createNgrok, restart: true, kinds: ['crash'] },
  )
  const [sentence = ''] = /the same `disk`, which has (.*?) for the data/.exec(read('docs/survives.md')) ?? []
  const named = [...sentence.replace('`disk`', '').matchAll(/`(\w+)`/g)].map(([, name]) => name)
  expect(named.toSorted()).toEqual([...new Set(found)].toSorted())
})

test.each([
  ['x.example.com', true],
  ['y.x.example.com', true],
  ['own.example.com', false],
  ['a.own.example.com', false],
  ['b.example.com', false],
  ['a.b.example.com', false],
])('docs/provisioning.md says which names a wildcard record matches: %s %s', (domain, isMatched) => {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), dns: 'simulated' })
  const { id, cname_target } = gateway.reservedDomains.create({ domain })
  gateway.dns.cname('*.example.com', cname_target ?? '')
  gateway.dns.a('own.example.com', '192.0.2.1')
  gateway.dns.a('x.b.example.com', '192.0.2.1')
  gateway.clock.advance('3h')
  expect(gateway.reservedDomains.get(id).certificate !== null).toBe(isMatched)
  expect(read('docs/provisioning.md')).toContain(
    'at any depth, except names with their own records, names whose subdomains have records, and subdomains of both.',
  )
})

test('The README of the Docker Compose example names its containers and the command of the guide', () => {
  const compose = readFileSync(new URL('../../examples/compose/compose.yaml', import.meta.url), 'utf8')
  expect([...compose.matchAll(/^ {2}(\w+):$/gm)].map(([, name]) => name)).toEqual(['gateway', 'app', 'tests'])
  const text = read('examples/compose/README.md')
  expect(text).toContain('An application, its tests, and fauxgate, each in its own container.')
  const [, command = '-'] =
    /^(docker compose run \S+ \S+)/m.exec(
      readFileSync(new URL('../../docs/docker-compose.md', import.meta.url), 'utf8'),
    ) ?? []
  expect(text).toContain(`FAUXGATE_CONTROL_KEY=my-key ${command}`)
  expect(compose).toContain('./fauxgate-0.1.0.tgz:')
})

test.each(['undefined', 'null', '[object Promise]'])(
  'docs/runners.md says that %s as an ID fails a test',
  async (id) => {
    const gateway = createNgrok()
    const headers = { Authorization: 'Bearer key', 'Ngrok-Version': '2' }
    await gateway.fetch(`${gateway.url}/reserved_addrs/${id}`, { headers })
    expect(() => assertStrict(gateway)).toThrow(encodeURI(id).replace('%5B', '[').replace('%5D', ']'))
    expect(read('docs/runners.md')).toContain('or with `undefined`, `null`, or `[object Promise]` instead of an ID')
  },
)

test("docs/runners.md says that a fault below its `times` fails a test, and a request to the agent's API does not", async () => {
  const gateway = createNgrok()
  await gateway.agent.fetch('http://127.0.0.1:4040/api/nope')
  assertStrict(gateway)
  gateway.faults.add({ times: 2 })
  const headers = { Authorization: 'Bearer key', 'Ngrok-Version': '2' }
  await gateway.fetch(`${gateway.url}/reserved_addrs`, { headers })
  expect(() => assertStrict(gateway)).toThrow('1 of 2 requests')
  expect(read('docs/runners.md')).toContain('- a fault that applied to no request, or to fewer than its `times`')
})

test('docs/survives.md says after what time, and with what code, fetch rejects without a response', async () => {
  const seen: unknown[] = []
  const code = async (life: Life) => {
    const start = Date.now()
    const headers = { Authorization: 'Bearer key', 'Ngrok-Version': '2' }
    await life.fetch(`${life.url}/reserved_addrs`, { headers }).catch((error) => {
      seen.push([Date.now() - start, error.cause.code])
    })
  }
  await survives(code, { create: createNgrok, kinds: ['silent'], faults: 1 })
  expect(seen).toContainEqual([300_000, 'ECONNRESET'])
  expect(read('docs/survives.md')).toContain("rejects after 300 s, like Node's, but with the code `ECONNRESET`.")
})

test('docs/agent.md says that the agent lists only requests that reached it', async () => {
  const gateway = createNgrok()
  const traffic_policy = 'on_http_request: [{ expressions: ["req.url.path == \'/no\'"], actions: [{ type: deny }] }]'
  const { public_url } = await gateway.agent.start({ name: 'web', addr: 3000, traffic_policy })
  gateway.traffic.upstream('http://localhost:3000', () => new Response('ok'))
  for (const path of ['/no', '/yes']) await gateway.traffic.fetch(`${public_url}${path}`)
  const { requests } = await (await gateway.agent.fetch('http://127.0.0.1:4040/api/requests/http')).json()
  expect(requests).toMatchObject([{ request: { uri: '/yes' } }])
  expect(read('docs/agent.md')).toContain('requests that reached the agent,')
})

test('docs/provisioning.md says that a new job has a null error_code', () => {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START) })
  const { certificate_management_status } = gateway.reservedDomains.create({ domain: 'app.example.com' })
  expect(certificate_management_status?.provisioning_job?.error_code).toBe(null)
  expect(read('docs/provisioning.md')).toContain('a job whose `error_code` is null')
})

const { files } = JSON.parse(read('package.json'))
const guides = readdirSync(new URL('../../docs', import.meta.url)).filter((name) => name.endsWith('.md'))
/** README.md and the guides of the package. */
const pages = ['README.md', ...guides.map((name) => `docs/${name}`).filter((path) => !files.includes(`!${path}`))]

test('The guides of the package have at most 29,000 words that people wrote', () => {
  const written = pages
    .filter((path) => !path.endsWith('reference.md'))
    .map((path) => read(path).replace(/<!-- ([a-z ]+): npm run generate -->.*?<!-- end of \1 -->/g, ''))
  const words = written.join(' ').match(/\S*[\p{L}\p{N}]\S*/gu) ?? []
  expect(words.length).toBeGreaterThan(20_000)
  expect(words.length).toBeLessThanOrEqual(29_000)
})

test('README.md, SECURITY.md and the guides of the package have at most 120 lines with never, always, every, all, only, or the same', () => {
  const lines = [...pages, '.github/SECURITY.md']
    .filter((path) => !path.endsWith('reference.md'))
    .flatMap((path) =>
      readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
        .replace(/^```[\s\S]*?^```/gm, '')
        .replace(/`[^`\n]*`/g, '')
        .split('\n')
        .filter((line) => /\b(?:never|always|every|all|only|the same)\b/i.test(line))
        .map((line) => `${path}: ${line}`),
    )
  expect(lines.length).toBeGreaterThan(60)
  expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(120)
})
