import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../../src/index.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { createWithAgent } from './agent.ts'

// rules: agent#the-oldest-agent

test('Responses of the agent are JSON that says so, and one without a body says nothing', async () => {
  const { agent } = createNgrok()
  const ask = (path: string, init?: RequestInit) => agent.fetch(`http://127.0.0.1:4040${path}`, init)
  await agent.start({ addr: 80, name: 'web' })
  const found = await ask('/api/tunnels/web')
  const missing = await ask('/api/tunnels/nope')
  const stopped = await ask('/api/tunnels/web', { method: 'DELETE' })
  const types = [found, missing, stopped].map(({ status, headers }) => [status, headers.get('content-type')])
  expect(types).toEqual([
    [200, 'application/json'],
    [404, 'application/json'],
    [204, null],
  ])
})

test("The report lists requests to the agent's API, with the reasons of those that failed", async () => {
  const { gateway, call } = createWithAgent()
  const listed = () => {
    const [, text = ''] = gateway.report().split("  requests to the agent's API:\n")
    return text.split('\n').flatMap((line) => (line.startsWith('    ') ? line.slice(4) : []))
  }
  gateway.agent.set({ down: true })
  for (let n = 0; n < 3; n++) await expect(call('GET', '/api/tunnels')).rejects.toThrow('fetch failed')
  gateway.agent.set({ down: false })
  await call('POST', '/api/tunnels', { name: 'web', adr: '80' })
  await call('POST', '/api/tunnels', { name: 'web', addr: '80', basic_auth: ['me:short'] })
  const { id } = gateway.faults.add({ agent: '/api/tunnels', times: 1, status: 502 })
  await call('GET', '/api/tunnels')
  await call('GET', '/api/status')
  await call('GET', '/api/tunnels')
  const failed = (err: string) =>
    `  {"error_code":102,"status_code":400,"msg":"invalid tunnel configuration","details":{"err":"${err}"}}`
  expect(listed()).toEqual([
    `${SHOWN_START}  3 times: GET /api/tunnels → connection refused`,
    `${SHOWN_START}  POST /api/tunnels → 400`,
    failed('yaml: unmarshal errors:\\n  line 1: field adr not found in type config.HTTPv2Tunnel'),
    `${SHOWN_START}  POST /api/tunnels → 400`,
    expect.not.stringContaining('short'),
    `${SHOWN_START}  GET /api/tunnels → 502`,
    `  by the fault ${id}`,
    `${SHOWN_START}  GET /api/status → 200`,
    `${SHOWN_START}  GET /api/tunnels → 200`,
    '  {"tunnels":[],"uri":"/api/tunnels"}',
  ])
  gateway.requests.clear()
  expect(listed()).toEqual([])
})

test('The agent has a version before and after its first start', async () => {
  const { agent } = createNgrok()
  const versionOf = async () => (await (await agent.fetch('http://127.0.0.1:4040/api/status')).json()).agent_version
  const before = await versionOf()
  expect(before).toMatch(/^3\.\d+\.\d+$/)
  await agent.start({ addr: 80 })
  expect(await versionOf()).toBe(before)
})

test('The document of the controls says what each control of the agent does, and what each field is', () => {
  const { paths, components } = JSON.parse(JSON.stringify(openApi(ngrok, { part: 'controls' })))
  const operations = Object.entries<object>(paths)
    .filter(([path]) => path.startsWith('/_fauxgate/agent'))
    .flatMap(([, methods]) => Object.values(methods))
  expect(operations.map(({ summary }) => summary)).toEqual([
    'Start an agent tunnel',
    'Change how the agent behaves',
    'Restart the agent with the same tunnels',
  ])
  const { properties: ofRestart } =
    paths['/_fauxgate/agent/restart'].post.requestBody.content['application/json'].schema
  expect(ofRestart.new_urls.description).toMatch(/^True to replace URLs without a reservation/)
  for (const name of ['AgentTunnelDefinition', 'AgentBehaviour']) {
    const { description, properties } = components.schemas[name]
    const sentence = expect.stringMatching(/^[A-Z].{15,}/)
    expect(description).toEqual(sentence)
    for (const [field, schema] of Object.entries(properties))
      expect({ field, schema }).toEqual({ field, schema: expect.objectContaining({ description: sentence }) })
  }
})

test('Changes by the API of the agent are counted among the controls that were used, reads and errors are not', async () => {
  const { call, control } = createWithAgent()
  const countChanges = async () => (await control('GET', '/controls')).body.agent
  await call('GET', '/api/tunnels')
  await call('POST', '/api/tunnels', { addr: 0, name: 'web' })
  await call('DELETE', '/api/tunnels/web')
  expect(await countChanges()).toBe(0)
  await call('POST', '/api/tunnels', { addr: 80, name: 'web' })
  await call('GET', '/api/tunnels/web')
  expect(await countChanges()).toBe(1)
  await call('DELETE', '/api/tunnels/web')
  expect(await countChanges()).toBe(2)
})

// rules: agent#status-page
test('The status page is in HTML, and has the tunnels as text', async () => {
  const { gateway } = createWithAgent()
  const read = async () => {
    const response = await gateway.agent.fetch('http://localhost:4040/status')
    return [response.status, response.headers.get('content-type'), await response.text()] as const
  }
  expect(await read()).toEqual([200, 'text/html; charset=utf-8', expect.stringContaining('<title>ngrok - Status')])
  const { public_url } = await gateway.agent.start({ addr: 3000, name: '<b>&"' })
  const [, , page] = await read()
  for (const text of ['&#60;b&#62;&#38;&#34;', public_url, 'http://localhost:3000']) expect(page).toContain(text)
  expect(page).not.toContain('<b>')
})

// rules: agent#errors
test.each(['/api', '/api/status', '/api/tunnels', '/api/tunnels/web', '/api/endpoints', '/status'])(
  'HEAD %s is GET without a body',
  async (path) => {
    const { gateway, control } = createWithAgent()
    await gateway.agent.start({ addr: 80, name: 'web' })
    const answers = ['GET', 'HEAD'].map((method) => gateway.agent.fetch(`http://localhost:4040${path}`, { method }))
    const [get, head] = await Promise.all(answers)
    expect([head?.status, head?.headers.get('content-type')]).toEqual([200, get?.headers.get('content-type')])
    expect(await head?.text()).toBe('')
    expect((await control('GET', '/controls')).body.others).toBe(0)
  },
)

test.each([
  ['/api', ['GET', 'HEAD']],
  ['/api/status', ['GET', 'HEAD']],
  ['/status', ['GET', 'HEAD']],
  ['/api/tunnels', ['GET', 'HEAD', 'POST']],
  ['/api/tunnels/nothing', ['GET', 'HEAD', 'DELETE']],
  ['/api/endpoints', ['GET', 'HEAD', 'POST']],
  ['/api/endpoints/nothing', ['GET', 'HEAD', 'PUT', 'DELETE']],
  ['/api/requests/http', ['GET', 'HEAD', 'POST', 'DELETE']],
  ['/api/requests/http/nothing', ['GET', 'HEAD']],
])('%s has the methods %j, and each other method is 405 (rules: agent#errors)', async (path, expected) => {
  const { gateway } = createWithAgent()
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  const found = []
  for (const method of methods) {
    const { status } = await gateway.agent.fetch(`http://localhost:4040${path}`, { method })
    if (status !== 405) found.push(method)
  }
  expect(found.sort()).toEqual([...expected].sort())
})

test.each(['GET', 'HEAD', 'POST', 'DELETE'])('%s of an unknown path or name is 404', async (method) => {
  const { gateway } = createWithAgent()
  const isNamed = method !== 'POST'
  const paths = [
    '/',
    '/api/nothing',
    '/statuses',
    ...(isNamed ? ['/api/tunnels/nothing', '/api/endpoints/nothing'] : []),
  ]
  for (const path of paths) {
    const { status } = await gateway.agent.fetch(`http://localhost:4040${path}`, { method })
    expect([path, status]).toEqual([path, 404])
  }
})

// rules: agent#errors
test('Errors of endpoints name endpoints, and those of tunnels name tunnels', async () => {
  const { call } = createWithAgent()
  const bodies = {
    '/api/tunnels': [{ addr: 80, url: 'https://app.example.com' }, { addr: 80, nope: 1 }, { addr: 80 }],
    '/api/endpoints': [
      { upstream: { url: 80 }, url: 'https://app.example.com' },
      { upstream: { url: 80 }, nope: 1 },
      { upstream: { url: 80 } },
    ],
  }
  const read = async (path: keyof typeof bodies) => {
    const [refused, unknown, fine] = bodies[path]
    await call('POST', path, { ...fine, name: 'web' })
    const answers = [refused, unknown, { ...fine, name: 'web' }, '{'].map((body) => call('POST', path, body))
    return (await Promise.all(answers)).map(({ body }) => `${body.msg}: ${body.details.err.split('\n').at(-1)}`)
  }
  expect(await read('/api/tunnels')).toEqual([
    expect.stringContaining('failed to start tunnel: '),
    'invalid tunnel configuration:   line 1: field nope not found in type config.HTTPv2Tunnel',
    'invalid tunnel configuration: tunnel "web" already exists',
    expect.stringContaining('invalid tunnel configuration: SyntaxError'),
  ])
  expect(await read('/api/endpoints')).toEqual([
    expect.stringContaining('failed to start endpoint: '),
    'invalid endpoint configuration:   line 1: field nope not found in type config.Endpoint',
    'invalid endpoint configuration: endpoint "web" already exists',
    expect.stringContaining('invalid endpoint configuration: SyntaxError'),
  ])
})
