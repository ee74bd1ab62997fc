import { expect } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { testUsing } from '../../src/testing/vitest.ts'
import { client } from '../support/client.ts'

// The calls that kinds of real programs make, in their order (contract: section 10).
const test = testUsing(createNgrok)

test('A URL finder takes the first https tunnel, or the host and port of a tcp one', async ({ gateway }) => {
  gateway.declare.tunnelSession({
    endpoints: [{ url: 'tcp://1.tcp.ngrok.io:12345' }, { url: 'https://app.ngrok-free.app' }],
  })
  const ask = client(gateway, ngrokFamilies)
  const { tunnels } = (await ask('GET', '/tunnels')).body
  const urlOf = (proto: string) => tunnels.find((each: { proto: string }) => each.proto === proto).public_url
  expect([urlOf('https'), urlOf('tcp')]).toEqual(['https://app.ngrok-free.app', 'tcp://1.tcp.ngrok.io:12345'])
  const { endpoints } = (await ask('GET', '/endpoints')).body
  expect(endpoints.map((each: { hostport: string }) => each.hostport).sort()).toEqual([
    '1.tcp.ngrok.io:12345',
    'app.ngrok-free.app:443',
  ])
})

test('A session stopper ends the agent of a URL, which is free afterwards', async ({ gateway }) => {
  const url = 'https://app.ngrok-free.app'
  gateway.declare.tunnelSession({ endpoints: [{ url }, { url: 'https://other.ngrok-free.app' }] })
  const ask = client(gateway, ngrokFamilies)
  const { endpoints } = (await ask('GET', '/endpoints')).body
  const taken = endpoints.filter((each: { public_url: string }) => each.public_url === url)
  const sessions = new Set(taken.map((each: { tunnel_session: { id: string } }) => each.tunnel_session.id))
  for (const id of sessions) {
    expect((await ask('POST', `/tunnel_sessions/${id}/stop`, { json: {} })).status).toBe(204)
  }
  expect((await ask('GET', '/endpoints')).body.endpoints).toEqual([])
  expect(() => gateway.declare.tunnelSession({ endpoints: [{ url }] })).not.toThrow()
})

test('A desktop launcher goes on where an agent cannot be reached any more', async ({ gateway }) => {
  const { id } = gateway.declare.tunnelSession({ endpoints: [{}], reachable: false })
  const ask = client(gateway, ngrokFamilies)
  expect((await ask('GET', '/tunnel_sessions')).body.tunnel_sessions[0].id).toBe(id)
  const { status, body } = await ask('POST', `/tunnel_sessions/${id}/stop`, { json: {} })
  expect([status, body.error_code]).toEqual([503, 'ERR_NGROK_810'])
  expect(body.msg).toContain(id)
})

test('A minter of authtokens checks its key, makes a token and deletes the old one by its description', async ({
  gateway,
}) => {
  const ask = client(gateway, ngrokFamilies)
  const make = () => ask('POST', '/credentials', { json: { description: 'ci', acl: ['bind:*.example.com'] } })
  const old = (await make()).body
  expect((await ask('GET', '/api_keys')).status).toBe(200)
  const { status, body } = await make()
  expect([status, typeof body.token]).toEqual([201, 'string'])
  const { credentials } = (await ask('GET', `/credentials?filter=${encodeURIComponent("obj.description == 'ci'")}`))
    .body
  expect(credentials.map((each: { token: unknown }) => each.token)).toEqual([null, null])
  expect((await ask('DELETE', `/credentials/${old.id}`)).status).toBe(204)
  expect(gateway.credentials.list().credentials.map((each) => each.id)).toEqual([body.id])
})

test('A web backend gives a user a connector, and takes all of it back', async ({ gateway }) => {
  const ask = client(gateway, ngrokFamilies)
  const create = async (path: string, json: object) => (await ask('POST', path, { json })).body
  const bot = await create('/bot_users', { name: 'customer-1' })
  expect((await create('/bot_users', { name: 'customer-1' })).status_code).toBe(400)
  const filter = encodeURIComponent("obj.name == 'customer-1'")
  expect((await ask('GET', `/bot_users?filter=${filter}`)).body.bot_users[0].id).toBe(bot.id)
  const domain = await create('/reserved_domains', { name: 'c1.example.com' })
  const credential = await create('/credentials', { owner_id: bot.id, acl: ['bind:*.c1.example.com'] })
  const policy = '{"on_http_request":[{"actions":[{"type":"deny"}]}]}'
  const endpoint = { type: 'cloud', url: 'https://*.c1.example.com', traffic_policy: policy }
  const made = await create('/endpoints', endpoint)
  expect((await create('/endpoints', endpoint)).status_code).toBe(400)
  expect((await ask('DELETE', `/reserved_domains/${domain.id}`)).body.error_code).toBe('ERR_NGROK_446')
  for (const path of [
    `/credentials/${credential.id}`,
    `/endpoints/${made.id}`,
    `/reserved_domains/${domain.id}`,
    `/bot_users/${bot.id}`,
  ]) {
    expect((await ask('DELETE', path)).status, path).toBe(204)
  }
  expect(gateway.leftovers()).toEqual([])
})
