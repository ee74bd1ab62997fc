import { describe, expect, it, test } from 'vitest'
import { SSH_KEYS } from './ssh-keys.ts'
import { openGateway } from './support.ts'

const USER = 'usr_0000000theUserOfThisAccount'

/** Each kind of resource that a user can own: its path, its items, and the required fields of its body. */
const KINDS = [
  { path: '/api_keys', items: 'keys', fields: {} },
  { path: '/credentials', items: 'credentials', fields: {} },
  { path: '/ssh_credentials', items: 'ssh_credentials', fields: { public_key: SSH_KEYS.ed25519 } },
]

const WITH_TOKEN = KINDS.slice(0, 2)
const WITH_ACL = KINDS.slice(1)

describe.each(KINDS)('$path', ({ path, items, fields }) => {
  it.each([
    [{ description: 1 }, 215],
    [{ name: 'none here' }, 214],
  ])('rejects %o with %d in both bodies, and changes nothing', async (json, number) => {
    const { send, sendRefused } = openGateway()
    const { id } = (await send('POST', path, { json: fields })).body
    expect(await sendRefused('POST', path, { json: { ...fields, ...json } })).toBe(`400 ERR_NGROK_${number}`)
    expect(await sendRefused('PATCH', `${path}/${id}`, { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  it('cannot be updated without a field (606)', async () => {
    const { send, sendRefused } = openGateway()
    const { id } = (await send('POST', path, { json: fields })).body
    expect(await sendRefused('PATCH', `${path}/${id}`, { json: {} })).toBe('400 ERR_NGROK_606')
    expect(await sendRefused('PATCH', `${path}/${id}`, { json: { description: null } })).toBe('400 ERR_NGROK_606')
    expect(await sendRefused('PATCH', `${path}/${id}`, { json: { owner_id: USER } })).toBe('400 ERR_NGROK_214')
  })

  it('has the owner that is named: the user, or an active bot user by either id', async () => {
    const { send, sendRefused, gateway } = openGateway()
    const { id: bot } = gateway.botUsers.create({ name: 'ci' })
    const service = bot.replace('bot', 'service')
    for (const [owner_id, shown] of [
      [service, bot],
      [USER, USER],
    ]) {
      const created = await send('POST', path, { json: { ...fields, owner_id } })
      expect(created.body.owner_id).toBe(shown)
      await send('DELETE', `${path}/${created.body.id}`)
    }
    await send('POST', path, { json: { ...fields, owner_id: bot } })
    const filter = encodeURIComponent(`obj.owner_id == "${bot}"`)
    expect((await send('GET', `${path}?filter=${filter}`)).body[items]).toHaveLength(1)
    expect(await sendRefused('GET', `${path}?filter=${encodeURIComponent('obj.uri == ""')}`)).toBe('400 ERR_NGROK_250')
    const { id: idle } = gateway.botUsers.create({ name: 'idle', active: false })
    for (const [owner_id, number] of [
      ['rd_1', 243],
      ['ci', 243],
      ['bot_1', 634],
      ['usr_1', 634],
      [bot.replace('bot', 'usr'), 634],
      [idle, 636],
    ]) {
      const json = { ...fields, owner_id }
      expect(await sendRefused('POST', path, { json }), `${owner_id}`).toBe(`400 ERR_NGROK_${number}`)
    }
  })

  it('can have its owner by an email address or a SCIM id, one of them (rules: ngrok-families#owner)', async () => {
    const { send, sendRefused } = openGateway()
    const email = 'a@example.com'
    for (const json of [
      { owner_id: email },
      { owner_id: 'a1-b2' },
      { owner_email: email },
      { scim_user_id: 'a1-b2' },
    ]) {
      const { status, body } = await send('POST', path, { json: { ...fields, ...json } })
      expect([status, body.owner_id, body.owner_email]).toEqual([201, USER, undefined])
      await send('DELETE', `${path}/${body.id}`)
    }
    for (const json of [
      { owner_id: USER, owner_email: email },
      { owner_email: email, scim_user_id: 'a1-b2' },
    ]) {
      expect(await sendRefused('POST', path, { json: { ...fields, ...json } })).toBe('400 ERR_NGROK_631')
    }
  })

  it('is deleted with the bot user who owns it', async () => {
    const { send, gateway } = openGateway()
    const { id: bot } = gateway.botUsers.create({ name: 'ci' })
    const { id: botKey } = (await send('POST', path, { json: { ...fields, owner_id: bot } })).body
    await send('DELETE', `/service_users/${bot}`)
    expect((await send('GET', `${path}/${botKey}`)).status).toBe(404)
    const { id: userKey } = (await send('POST', path, { json: fields })).body
    const other = gateway.botUsers.create({ name: 'ci' })
    await send('DELETE', `/bot_users/${other.id}`)
    expect((await send('GET', `${path}/${userKey}`)).status).toBe(200)
  })
})

describe.each(WITH_TOKEN)('The token of $path', ({ path }) => {
  it('is only in the response that creates it', async () => {
    const { send, gateway } = openGateway()
    const commits: unknown[] = []
    gateway.subscribe((commit) => commits.push(commit))
    const { id, token } = (await send('POST', path, { json: {} })).body
    expect(token).toMatch(/^[0-9A-Za-z]{27}_[0-9A-Za-z]{21}$/)
    expect(token.slice(0, 27)).toBe(id.slice(id.indexOf('_') + 1))
    const other = (await send('POST', path, { json: {} })).body.token
    expect(other.slice(-21)).not.toBe(token.slice(-21))
    await send('PATCH', `${path}/${id}`, { json: { metadata: 'm' } })
    await send('GET', path)
    await send('DELETE', `${path}/${id}`)
    const places = [
      gateway.requests.all(),
      commits,
      gateway.snapshot(),
      gateway.report(),
      await read(gateway, '/_fauxgate/state'),
      await read(gateway, '/_fauxgate/requests'),
      await read(gateway, '/_fauxgate/overview'),
    ]
    for (const place of places) {
      const text = typeof place === 'string' ? place : JSON.stringify(place)
      expect(text.length).toBeGreaterThan(50)
      for (const secret of [token, other]) expect(text).not.toContain(secret.slice(-21))
    }
    expect(JSON.stringify(gateway.snapshot({ privateKeys: true }))).toContain(other)
  })

  it('cannot be sent (638), and no message repeats it', async () => {
    const { send, sendRefused } = openGateway()
    const json = { precomputed_token: 'a-token-of-my-own' }
    expect(await sendRefused('POST', path, { json })).toBe('400 ERR_NGROK_638')
    expect((await send('POST', path, { json })).text).not.toContain(json.precomputed_token)
  })
})

async function read({ fetch, url }: ReturnType<typeof openGateway>['gateway'], path: string): Promise<string> {
  const response = await fetch(url + path, { headers: { host: 'localhost' } })
  expect(response.status, path).toBe(200)
  return response.text()
}

describe.each(WITH_ACL)('The ACL of $path', ({ path, fields }) => {
  it('takes rules of every form, is replaced by an update, and is found by filters', async () => {
    const { send } = openGateway()
    const acl = [
      '*',
      'bind:*',
      'bind:a.example.com',
      'bind:*.example.com',
      'bind:1.tcp.ngrok.io:20000',
      'bind:team=*',
      'bind:*=web',
    ]
    const created = await send('POST', path, { json: { ...fields, acl } })
    expect(created.body.acl).toEqual(acl)
    const changed = await send('PATCH', `${path}/${created.body.id}`, { json: { acl: [] } })
    expect(changed.body.acl).toEqual([])
  })

  it.each([
    '',
    'bind:',
    'example.com',
    'connect:a.example.com',
    'bind:*:443',
    'bind:a b=c',
    'bind:host:0',
    'bind:host:70000',
    'bind:a..b',
  ])('rejects the rule %j with 600 in both bodies', async (rule) => {
    const { send, sendRefused } = openGateway()
    const { id } = (await send('POST', path, { json: fields })).body
    const json = { acl: ['*', rule] }
    expect(await sendRefused('POST', path, { json: { ...fields, ...json } })).toBe('400 ERR_NGROK_600')
    expect(await sendRefused('PATCH', `${path}/${id}`, { json })).toBe('400 ERR_NGROK_600')
  })
})

test('A default credential cannot be deleted (637)', async () => {
  const { send, sendRefused, gateway } = openGateway()
  const { id, token, owner_id } = gateway.declare.credential({ default: true })
  expect(token).toMatch(new RegExp(`^${id.slice(3)}_\\w{21}$`))
  expect((await send('GET', `/credentials/${id}`)).body).toMatchObject({ id, token: null, acl: [], owner_id })
  expect(await sendRefused('DELETE', `/credentials/${id}`)).toBe('400 ERR_NGROK_637')
})
