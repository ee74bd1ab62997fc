import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../../src/index.ts'
import { createWithAgent } from './agent.ts'

// rules: agent#which-agent

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
    'Start a tunnel of the agent',
    'Change how the agent behaves',
    'Restart the agent, with the same tunnels',
  ])
  const { properties: ofRestart } =
    paths['/_fauxgate/agent/restart'].post.requestBody.content['application/json'].schema
  expect(ofRestart.new_urls.description).toMatch(/^True if URLs without a reservation/)
  for (const name of ['AgentTunnelDefinition', 'AgentBehaviour']) {
    const { description, properties } = components.schemas[name]
    const sentence = expect.stringMatching(/^[A-Z].{15,}/)
    expect(description).toEqual(sentence)
    for (const [field, schema] of Object.entries(properties))
      expect({ field, schema }).toEqual({ field, schema: expect.objectContaining({ description: sentence }) })
  }
})

test('Changes by the API of the agent are counted among the controls that were used, reads and refusals are not', async () => {
  const { call, control } = createWithAgent()
  const countOthers = async () => (await control('GET', '/controls')).body.others
  await call('GET', '/api/tunnels')
  await call('POST', '/api/tunnels', { addr: 0, name: 'web' })
  await call('DELETE', '/api/tunnels/web')
  expect(await countOthers()).toBe(0)
  await call('POST', '/api/tunnels', { addr: 80, name: 'web' })
  await call('GET', '/api/tunnels/web')
  expect(await countOthers()).toBe(1)
  await call('DELETE', '/api/tunnels/web')
  expect(await countOthers()).toBe(2)
})
