import { describe, expect, it, test } from 'vitest'
import { SSH_KEYS } from './ssh-keys.ts'
import { openGateway } from './support.ts'

const PATHS = [
  ['/bot_users', 'bot', 'service'],
  ['/service_users', 'service', 'bot'],
] as const

describe.each(PATHS)('The users at %s', (path, prefix, other) => {
  const items = path.slice(1)

  it(`are also at the other path, and can be named with the prefix ${other}`, async () => {
    const { send, gateway } = openGateway()
    const { id } = (await send('POST', path, { json: { name: 'ci' } })).body
    const suffix = id.slice(prefix.length)
    const [ownId, otherId] = [prefix + suffix, other + suffix]
    const user = (await send('GET', `${path}/${ownId}`)).body
    expect(user).toMatchObject({ id: ownId, uri: `${gateway.url}${path}/${ownId}` })
    for (const each of [path, `/${other}_users`]) {
      expect((await send('GET', `${each}/${ownId}`)).body).toEqual(user)
      expect((await send('GET', `${each}/${otherId}`)).body).toEqual(user)
      expect((await send('PATCH', `${each}/${otherId}`, { json: {} })).body).toEqual(user)
      expect((await send('GET', each)).body[each.slice(1)]).toEqual([user])
      const filter = (id: string) => `${each}?filter=${encodeURIComponent(`obj.id == '${id}'`)}`
      expect((await send('GET', filter(ownId))).body[each.slice(1)]).toEqual([user])
      expect((await send('GET', filter(otherId))).body[each.slice(1)]).toEqual([])
    }
    expect((await send('DELETE', `${path}/${otherId}`)).status).toBe(204)
    expect((await send('GET', `${path}/${ownId}`)).body.msg).toBe(`There is no ${prefix} user ${ownId}.`)
    expect((await send('GET', `/${other}_users`)).body[`${other}_users`]).toEqual([])
  })

  it(`have one id as owners in every response and filter, named by either prefix (rules: ngrok-families#users)`, async () => {
    const { send, gateway } = openGateway()
    const { id } = (await send('POST', path, { json: { name: 'ci' } })).body
    const otherId = id.replace(prefix, other)
    const read = async (place: string) => (await send('GET', place)).body
    const filtered = async (list: string, field: string, by: string) =>
      read(`${list}?filter=${encodeURIComponent(`obj.${field} == '${by}'`)}`)
    for (const [owner_id, public_key] of [
      [id, SSH_KEYS.ed25519],
      [otherId, SSH_KEYS.nistp256],
    ]) {
      const bodies = { api_keys: {}, credentials: {}, ssh_credentials: { public_key } }
      for (const [list, fields] of Object.entries(bodies)) {
        const made = (await send('POST', `/${list}`, { json: { ...fields, owner_id } })).body
        expect(made.owner_id).toBe(id)
        expect((await read(`/${list}/${made.id}`)).owner_id).toBe(id)
        const items = list === 'api_keys' ? 'keys' : list
        expect((await read(`/${list}`))[items].map((each: { owner_id: string }) => each.owner_id)).not.toContain(
          otherId,
        )
        expect((await filtered(`/${list}`, 'owner_id', id))[items][0].id).toBe(made.id)
        expect((await filtered(`/${list}`, 'owner_id', otherId))[items]).toEqual([])
        if (list === 'credentials') {
          gateway.declare.tunnelSession({
            credential: made.id,
            endpoints: [{ url: `https://${made.id.slice(-5)}.internal` }],
          })
        }
      }
    }
    const endpoints = (await filtered('/endpoints', 'principal.id', id)).endpoints
    expect(endpoints).toMatchObject([{ principal: { id } }, { principal: { id } }])
    expect((await read('/self')).api_key.owner_id).toBe(id)
    expect((await send('DELETE', `/${other}_users/${otherId}`)).status).toBe(204)
    expect(gateway.leftovers()).toEqual([])
  })

  it('are listed in pages, from an id with either prefix on, and by filters over id, created_at and name', async () => {
    const { send, sendRefused } = openGateway()
    for (const name of ['a', 'b', 'c']) await send('POST', path, { json: { name } })
    const readNames = async (uri: string) =>
      (await send('GET', uri)).body[items].map(({ name }: { name: string }) => name).join('')
    const first = (await send('GET', `${path}?limit=2`)).body
    expect(first.next_page_uri).toContain(`before_id=${first[items][1].id}&`)
    expect(await readNames(first.next_page_uri)).toBe('a')
    const cursor: string = first[items][0].id
    expect(await readNames(`${path}?before_id=${cursor.replace(prefix, other)}`)).toBe('ba')
    expect(await readNames(`${path}?filter=${encodeURIComponent("obj.name == 'b'")}`)).toBe('b')
    expect(await readNames(`${path}?filter=${encodeURIComponent(`obj.id == "${cursor}"`)}`)).toBe('c')
    expect(await sendRefused('GET', `${path}?filter=obj.active`)).toBe('400 ERR_NGROK_250')
  })

  test.each([
    [{}, 4109],
    [{ name: '' }, 4109],
    [{ name: 'é'.repeat(128) }, 4110],
    [{ name: 'taken' }, 4112],
    [{ name: 1 }, 215],
    [{ name: 'ci', active: 'no' }, 215],
    [{ name: 'ci', description: 'none here' }, 214],
  ])('reject %j with %d, and nothing changes', async (json, number) => {
    const { send, sendRefused } = openGateway()
    await send('POST', path, { json: { name: 'taken' } })
    const { id } = (await send('POST', `/${other}_users`, { json: { name: 'x'.repeat(255) } })).body
    expect(await sendRefused('POST', path, { json })).toBe(`400 ERR_NGROK_${number}`)
    if (Object.keys(json).length > 0)
      expect(await sendRefused('PATCH', `${path}/${id}`, { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('stay the same after an update without a field, or to the same name', async () => {
    const { send, sendRefused } = openGateway()
    const { id } = (await send('POST', path, { json: { name: 'ci' } })).body
    expect(await sendRefused('PATCH', `${path}/${id}`, { json: {} })).toBe('200')
    expect(await sendRefused('PATCH', `${path}/${id}`, { json: { name: 'ci' } })).toBe('200')
    expect(await sendRefused('GET', `${path}/usr_1`)).toBe('404 ERR_NGROK_90404')
    expect((await send('GET', `${path}/usr_1`)).body.msg).toContain('starts with "bot_" or "service_"')
  })
})

describe('A snapshot', () => {
  it('has each user once', () => {
    const { gateway } = openGateway()
    const [a, b] = ['a', 'b'].map((name) => gateway.botUsers.create({ name }))
    const snapshot = JSON.parse(JSON.stringify(gateway.snapshot()))
    const restored = openGateway().gateway
    restored.restore(snapshot)
    expect(restored.botUsers.list().bot_users).toEqual([b, a])
    expect(restored.serviceUsers.list().service_users).toHaveLength(2)
    const { id } = restored.serviceUsers.create({ name: 'c' })
    expect(restored.leftovers()).toEqual([a?.id, b?.id, id].map((each) => ({ family: 'bot_users', id: each })))
  })
})
