import { describe, expect, it } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { type Body, type Call, program, retry } from './programs/client.ts'

const ADDRESS = { description: 'app', metadata: '1' }
const SECRET = 'hush'

const options: SurvivesOptions = {
  faults: 1,
  kinds: ['lost'],
  create: (each) => createNgrok({ ...each, initial: { reservedAddrs: [ADDRESS] } }),
}

/** Changes an address, and ignores the failure. */
const change = (body: object) =>
  program(async (call) => {
    const [{ id }] = (await call('GET', '/reserved_addrs').catch(() => ({ reserved_addrs: [{ id: 'ra_0' }] })))
      .reserved_addrs
    await call('PATCH', `/reserved_addrs/${id}`, body).catch(() => undefined)
  })

const ensureBackend = (call: Call): Promise<Body> =>
  retry(async () => {
    const [backend] = (await call('GET', '/backends/http_response')).backends
    return backend ?? call('POST', '/backends/http_response', { headers: { 'x-a': '1' } })
  })

describe('The option `ignore`', () => {
  it.each(['reserved_addrs.metadata', 'reserved_addrs'])('leaves out %s', async (path) => {
    const { summary } = await survives(change({ metadata: '2' }), { ...options, ignore: [path] })
    expect(summary).toMatch(/; 0 fail$/)
  })

  it('leaves out nothing else', async () => {
    const search = survives(change({ metadata: '2', description: 'changed' }), {
      ...options,
      ignore: ['reserved_addrs.metadata'],
    })
    await expect(search).rejects.toThrow('reserved_addrs ra_a has description "app", expected "changed".')
  })

  it('takes the path of a field within a map', async () => {
    const code = program(async (call) => {
      const { id } = await ensureBackend(call)
      await call('PATCH', `/backends/http_response/${id}`, { headers: { 'x-a': '2' } }).catch(() => undefined)
    })
    const { message } = await expectSurvivalError(survives(code, options))
    expect(message).toContain('http_response_backends bkdhr_a has headers.x-a "1", expected "2".')
    const { summary } = await survives(code, { ...options, ignore: ['http_response_backends.headers.x-a'] })
    expect(summary).toMatch(/; 0 fail$/)
  })

  it.each<[string, string]>([
    [
      'reserved_addr.metadata',
      'ignore contains "reserved_addr.metadata", but there is no family "reserved_addr". Did you mean reserved_addrs?',
    ],
    [
      'reserved_addrs.metdata',
      'ignore contains "reserved_addrs.metdata", but reserved_addrs has no field "metdata". Did you mean metadata?',
    ],
  ])('rejects %s', async (path, message) => {
    await expect(survives(change({}), { ...options, ignore: [path] })).rejects.toThrow(message)
  })
})

it('A report shows no secret: neither in its message nor in its story', async () => {
  const code = program(async (call) => {
    const vault = await call('POST', '/vaults', { name: 'ci' })
    const body = { name: 'token', value: `${SECRET}1`, vault_id: vault.id }
    const { id } = await call('POST', '/vault_secrets', body)
    await call('PATCH', `/vault_secrets/${id}`, { value: `${SECRET}2` }).catch(() => undefined)
  })
  const error = await expectSurvivalError(survives(code, { ...options, allow: () => true, kinds: ['5xx'] }))
  expect(error.message).toContain('vault_secrets secret_a has a different secret in value.')
  expect(error.message).toContain('PATCH /vault_secrets/secret_a {"value":"[redacted]"} ✗ 503')
  expect(JSON.stringify([error.message, error.groups])).not.toContain(SECRET)
})
