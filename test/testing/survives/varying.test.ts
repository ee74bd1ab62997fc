import { describe, expect, it } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { type Body, type Call, program, retry } from './programs/client.ts'

const options: SurvivesOptions = { create: createNgrok, faults: 1, kinds: ['lost', '5xx'] }

/** Finds a resource by its metadata, or creates it. */
const ensure = (call: Call, path: string, key: string, metadata: string, more: object): Promise<Body> =>
  retry(async () => {
    const found = (await call('GET', path))[key].find((each: Body) => each.metadata === metadata)
    return found ?? call('POST', path, { metadata, ...more })
  })

/** Sends one request, and ignores that it fails: the bug. */
const once = (...[call, method, path, body]: [Call, string, string, object]) =>
  call(method, path, body).catch(() => undefined)

/** Returns a program that makes one resource with a text from the time, and another whose change it loses. */
const twins = (path: string, key: string, field: string, more: (name: string) => object = () => ({})) =>
  program(async (call) => {
    await ensure(call, path, key, 'lock', { ...more('lock'), [field]: `taken at ${Date.now()}` })
    const { id } = await ensure(call, path, key, 'app', { ...more('app'), [field]: 'v1' })
    await once(call, 'PATCH', `${path}/${id}`, { [field]: 'v2' })
  })

const secrets = program(async (call) => {
  const { id: vault_id } = await ensure(call, '/vaults', 'vaults', 'v', { name: 'v' })
  const secretOf = (name: string, value: string) =>
    ensure(call, '/vault_secrets', 'secrets', name, { name, value, vault_id })
  await secretOf('lock', `s${Date.now()}`)
  const { id } = await secretOf('app', 'old')
  await once(call, 'PATCH', `/vault_secrets/${id}`, { value: 'new' })
})

const modules = program(async (call) => {
  const { id } = await ensure(call, '/edges/https', 'https_edges', 'edge', {})
  const routeOf = (match: string) =>
    retry(async () => {
      const { routes } = await call('GET', `/edges/https/${id}`)
      const known = routes?.find((each: Body) => each.match === match)
      return known ?? call('POST', `/edges/https/${id}/routes`, { match, match_type: 'path_prefix' })
    })
  const pathOf = async (match: string) => `/edges/https/${id}/routes/${(await routeOf(match)).id}/response_headers`
  const [one, other] = [await pathOf('/a'), await pathOf('/b')]
  const put = (path: string, v: string) => retry(() => call('PUT', path, { add: { v } }))
  await put(one, `at ${Date.now()}`)
  await put(other, '1')
  await once(call, 'PUT', other, { add: { v: '2' } })
})

const lists = program(async (call) => {
  const at = Date.now()
  const acl = (first: string) => [`bind:${first}.example.com`, `bind:a${at}.example.com`]
  const { id } = await ensure(call, '/credentials', 'credentials', 'c', { acl: acl('x') })
  await once(call, 'PATCH', `/credentials/${id}`, { acl: acl('y') })
})

const referring = program(async (call) => {
  const vault = await ensure(call, '/vaults', 'vaults', 'v', { name: 'v' })
  await ensure(call, '/reserved_addrs', 'reserved_addrs', 'lock', { description: `taken at ${Date.now()}` })
  const { id } = await ensure(call, '/reserved_addrs', 'reserved_addrs', 'app', { description: 'v1' })
  await once(call, 'PATCH', `/reserved_addrs/${id}`, { description: `v2 of ${vault.id}` })
})

const addressed = program(async (call) => {
  const addressOf = (name: string) => ensure(call, '/reserved_addrs', 'reserved_addrs', name, {})
  const [one, other] = [await addressOf('one'), await addressOf('other')]
  const { id } = await ensure(call, '/ip_policies', 'ip_policies', 'app', { description: `for ${one.addr}` })
  await once(call, 'PATCH', `/ip_policies/${id}`, { description: `for ${other.addr}` })
})

const rotated = program(async (call) => {
  const [{ id }] = await retry(async () => (await call('GET', '/reserved_addrs')).reserved_addrs)
  await once(call, 'PATCH', `/reserved_addrs/${id}`, { description: `used at ${Date.now()}` })
})

const took = (writes: (ms: number) => string) =>
  program(async (call) => {
    const start = Date.now()
    const { id } = await ensure(call, '/reserved_addrs', 'reserved_addrs', 'app', {})
    await retry(() => call('PATCH', `/reserved_addrs/${id}`, { description: writes(Date.now() - start) }))
  })

describe('A value from the time', () => {
  it.each([
    ['an address', twins('/reserved_addrs', 'reserved_addrs', 'description'), 'description "v1", expected "v2"'],
    [
      'a backend',
      twins('/backends/http_response', 'backends', 'body'),
      'http_response_backends bkdhr_b has body "v1", expected "v2"',
    ],
    [
      'a domain',
      twins('/reserved_domains', 'reserved_domains', 'description', (name) => ({ domain: `${name}.example.com` })),
      'description "v1", expected "v2"',
    ],
    ['a secret', secrets, 'has a different secret in value'],
    ['a module of a route', modules, 'v "1", expected "2"'],
    ['an item of a list', lists, 'has acl.0 "bind:x.example.com", expected "bind:y.example.com"'],
    ['a text with an address', addressed, /has description "for (\S+)", expected "for (?!\1)\S+"/],
    ['a text with an id', referring, 'has description "v1", expected "v2 of vault_a"'],
  ])('of %s hides no lost change of another one', async (_name, code, message) => {
    await expect(survives(code, options)).rejects.toThrow(message)
  })

  it('hides no lost update of copies', async () => {
    const code = program(async (call) => {
      const { reserved_addrs } = await call('GET', '/reserved_addrs')
      const [one, other] = ['lock', 'count'].map((name) =>
        reserved_addrs.find((each: Body) => each.description === name),
      )
      await call('PATCH', `/reserved_addrs/${one.id}`, { metadata: `seen at ${Date.now()}` })
      const { metadata } = await call('GET', `/reserved_addrs/${other.id}`)
      await call('PATCH', `/reserved_addrs/${other.id}`, { metadata: String(Number(metadata) + 1) })
    })
    const initial = { reservedAddrs: [{ description: 'lock' }, { description: 'count', metadata: '0' }] }
    const create: SurvivesOptions['create'] = (each) => createNgrok({ ...each, initial })
    await expect(survives(code, { create, copies: 2 })).rejects.toThrow('metadata "1", expected "2"')
  })

  it.each([
    ['the value from before is still there', 'unused', 'has description "unused", expected "used at 1'],
    ['there is still none', '', 'has no description, expected "used at 1'],
  ])('does not hide that %s', async (_what, description, message) => {
    const initial = { reservedAddrs: [{ description }] }
    const create: SurvivesOptions['create'] = (each) => createNgrok({ ...each, initial })
    await expect(survives(rotated, { ...options, create })).rejects.toThrow(message)
  })

  it.each([
    ['how many ms', (ms: number) => `took ${ms}`],
    ['how many seconds', (ms: number) => `took ${Math.round(ms / 1000)} s`],
  ])('may say %s the work took', async (_name, writes) => {
    expect((await survives(took(writes), options)).summary).toMatch(/; 0 fail$/)
  })
})
