import { describe, expect, it } from 'vitest'
import { createDowngrade, OLD_KEYS } from './support/old-sandbox.ts'
import { MANUAL_CLOCK, type SandboxClient, useSandboxes, waitUntil } from './support/sandboxes.ts'
import { openSocket } from './support/web-socket.ts'

const sandboxes = useSandboxes()

/** Creates a named key. Returns the body of the response. */
const createKey = async (sandbox: SandboxClient, key: object) =>
  (await sandboxes.callAccount('POST', `/s/${sandbox.created.name}/keys`, key)).body

/** Returns a client of the sandbox that sends one key for the API and the controls. */
const withKey = (sandbox: SandboxClient, key: string) => sandbox.withKeys({ api_key: key, control_key: key })

/** Returns the statuses of four requests: a read and a change, of the API and of the controls. */
async function getStatuses(sandbox: SandboxClient): Promise<number[]> {
  const answers = [
    await sandbox.send('GET', '/reserved_addrs'),
    await sandbox.send('POST', '/reserved_addrs', {}),
    await sandbox.control('GET', '/clock'),
    await sandbox.control('POST', '/clock', { advance: '1s' }),
  ]
  return answers.map(({ status }) => status)
}

describe('The keys of a sandbox (rules: sandboxes#keys)', () => {
  it('have names and scopes, and each allows what its scopes say', async () => {
    const sandbox = await sandboxes.create('scopes', MANUAL_CLOCK)
    const ci = await createKey(sandbox, { name: 'ci', scopes: ['api', 'control'] })
    const api = await createKey(sandbox, { name: 'client', scopes: ['api'] })
    const people = await createKey(sandbox, { name: 'people' })
    expect(await getStatuses(withKey(sandbox, ci.key))).toEqual([200, 201, 200, 200])
    expect(await getStatuses(withKey(sandbox, api.key))).toEqual([200, 201, 401, 401])
    expect(await getStatuses(withKey(sandbox, people.key))).toEqual([200, 403, 200, 403])
    expect(await getStatuses(sandbox)).toEqual([200, 201, 200, 200])
    const { body } = await withKey(sandbox, people.key).send('POST', '/reserved_addrs', {})
    expect([body.error_code, body.msg]).toEqual([
      'ERR_GATEWAY_90607',
      'The key people allows read, but not POST. Use a key that allows changes.',
    ])
  })

  it('are listed by name without the keys themselves, and can be revoked one by one', async () => {
    const sandbox = await sandboxes.create('listed', MANUAL_CLOCK)
    const ci = await createKey(sandbox, { name: 'ci', scopes: ['api', 'control'], ttl: '1d' })
    const people = await createKey(sandbox, { name: 'people', scopes: ['read'] })
    const { body, text } = await sandboxes.callAccount('GET', '/s/listed/keys')
    expect(body.keys.map(({ name, scopes }: { name: string; scopes: string[] }) => [name, scopes])).toEqual([
      ['api', ['api']],
      ['control', ['control']],
      ['ci', ['api', 'control']],
      ['people', ['read']],
    ])
    expect(Date.parse(body.keys[2].expires_at) - Date.parse(body.keys[2].created_at)).toBe(86_400_000)
    for (const key of [ci.key, people.key, sandbox.created.api_key]) expect(text).not.toContain(key)
    expect((await sandboxes.callAccount('DELETE', '/s/listed/keys/ci')).status).toBe(204)
    expect(await getStatuses(withKey(sandbox, ci.key))).toEqual([401, 401, 401, 401])
    expect((await withKey(sandbox, people.key).control('GET', '/clock')).status).toBe(200)
    expect(await getStatuses(sandbox)).toEqual([200, 201, 200, 200])
    expect((await sandboxes.callAccount('DELETE', '/s/listed/keys/ci')).body.error_code).toBe('ERR_GATEWAY_90616')
  })

  it('do not include the tokens that the API of a sandbox creates (rules: sandboxes#created-tokens)', async () => {
    const sandbox = await sandboxes.create('minting', { ...MANUAL_CLOCK, dialect: 'ngrok' })
    const { url, api_key } = sandbox.created
    const send = (method: string, path: string, key: string, body?: object) =>
      sandboxes.send(method, url + path, { headers: { authorization: `Bearer ${key}`, 'ngrok-version': '2' }, body })
    const { status, body } = await send('POST', '/api_keys', api_key, {})
    expect([status, body.token]).toEqual([201, expect.stringMatching(/^\w{27}_\w{21}$/)])
    const { token } = (await send('POST', '/credentials', api_key, {})).body
    for (const key of [body.token, token, body.id]) {
      const answer = await send('GET', '/api_keys', key)
      expect([answer.status, answer.body.error_code]).toEqual([401, 'ERR_GATEWAY_90606'])
    }
    expect((await send('GET', '/api_keys', api_key)).body.keys).toHaveLength(1)
  })

  it('stay valid when the first two keys are replaced', async () => {
    const sandbox = await sandboxes.create('lost', MANUAL_CLOCK)
    const ci = await createKey(sandbox, { name: 'ci', scopes: ['api', 'control'] })
    const { body } = await sandboxes.callAccount('POST', '/s/lost/keys', {})
    expect(await getStatuses(sandbox)).toEqual([401, 401, 401, 401])
    expect(await getStatuses(withKey(sandbox, ci.key))).toEqual([200, 201, 200, 200])
    expect(await getStatuses(sandbox.withKeys(body))).toEqual([200, 201, 200, 200])
  })

  it.each([
    [{ name: 'Ci' }, 'ERR_GATEWAY_215', 'name is "Ci". Allowed: 1 to 40 lowercase letters'],
    [{ name: 'ci', scopes: ['all'] }, 'ERR_GATEWAY_215', '"all". Allowed: api or control or read'],
    [{ name: 'ci', scopes: [] }, 'ERR_GATEWAY_215', 'at least one'],
    [{ name: 'control' }, 'ERR_GATEWAY_90615', 'The sandbox already has a key named control.'],
  ])('are not created with %j', async (key, code, message) => {
    await sandboxes.callAccount('PUT', '/s/refused', {})
    const { body } = await sandboxes.callAccount('POST', '/s/refused/keys', key)
    expect([body.error_code, body.msg]).toEqual([code, expect.stringContaining(message)])
  })

  it('are not replaced by a call that sends scopes or a ttl and forgets the name', async () => {
    const sandbox = await sandboxes.create('nameless', MANUAL_CLOCK)
    for (const options of [{ scopes: ['read'] }, { ttl: '1d' }]) {
      const { status, body } = await sandboxes.callAccount('POST', '/s/nameless/keys', options)
      expect([status, body.msg]).toEqual([400, expect.stringContaining('name is missing. Allowed: a name for the key')])
    }
    expect(await getStatuses(sandbox)).toEqual([200, 201, 200, 200])
  })

  it('are limited to 100', async () => {
    const sandbox = await sandboxes.create('hundred')
    for (let n = 2; n < 100; n++) await createKey(sandbox, { name: `key-${n}` })
    expect((await createKey(sandbox, { name: 'one-more' })).error_code).toBe('ERR_GATEWAY_90617')
  })

  it('can be a link to the inspector that expires soon, which also ends its WebSocket', async () => {
    const sandbox = await sandboxes.create('link', MANUAL_CLOCK)
    // A busy machine must be able to open the WebSocket before the key ends.
    const link = await createKey(sandbox, { name: 'link', ttl: '5s' })
    expect(link.inspector_url).toBe(`${sandbox.created.url}/_fauxgate/#key=${link.key}`)
    const events = `${sandbox.created.url}/_fauxgate/events`
    const socket = await openSocket(events, link.key)
    expect(socket.status).toBe(101)
    const linkClient = withKey(sandbox, link.key)
    await waitUntil(
      () => linkClient.control('GET', '/clock'),
      ({ status }) => status === 401,
    )
    expect((await openSocket(events, link.key)).status).toBe(401)
    expect((await sandbox.send('POST', '/reserved_addrs', {})).status).toBe(201)
    expect(await socket.closed).toBe(1008)
    expect((await sandboxes.callAccount('GET', '/s/link/keys')).body.keys).toHaveLength(2)
    expect((await createKey(sandbox, { name: 'link', ttl: '2s' })).key).not.toBe(link.key)
  })

  it('of version 0.1.0, which are not signed, work until they are replaced', async () => {
    const sandbox = (await sandboxes.create('old', MANUAL_CLOCK)).withKeys(OLD_KEYS)
    await sandboxes.runInStorage(createDowngrade())
    expect(await getStatuses(sandbox)).toEqual([200, 201, 200, 200])
    expect(await getStatuses(withKey(sandbox, OLD_KEYS.api_key.replace('0a', '0c')))).toEqual([401, 401, 401, 401])
    const { body } = await sandboxes.callAccount('POST', '/s/old/keys', {})
    expect(await getStatuses(sandbox)).toEqual([401, 401, 401, 401])
    expect(await getStatuses(sandbox.withKeys(body))).toEqual([200, 201, 200, 200])
  })
})
