import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'

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
