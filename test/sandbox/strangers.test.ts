import { describe, expect, it } from 'vitest'
import type { Answer } from '../support/client.ts'
import { ACCOUNT_KEY, runMany, type SandboxClient, useSandboxes } from './support/sandboxes.ts'
import { openSocket } from './support/web-socket.ts'

const sandboxes = useSandboxes({ WILDCARD_HOST: 'boxes.example.com' })

const createHex = (length: number) => 'a1'.repeat(length / 2)

/** Returns the headers that a stranger could guess from the form of keys. */
function guessHeaders(name: string, { created }: SandboxClient): readonly Readonly<Record<string, string>>[] {
  const foreign = created.api_key.replace(`_${created.name}_`, `_${name}_`)
  return [
    {},
    { authorization: 'Bearer anything', 'service-version': '2' },
    { authorization: `Bearer fgapi_${name}_${createHex(64)}` },
    { authorization: `Bearer fgapi_${name}_${createHex(64)}_${createHex(32)}` },
    { authorization: `Bearer ${foreign}` },
    { authorization: `Bearer ${created.api_key}` },
    { 'fauxgate-control-key': `fgctl_${createHex(64)}` },
    { 'fauxgate-control-key': created.control_key },
  ]
}

/** Returns the parts of a response that must be the same for every sandbox. */
function removeName({ status, body, headers }: Answer, name: string) {
  const { operation_id: _, ...details } = body.details
  const text = JSON.stringify({ ...body, details }).replaceAll(name, 'NAME')
  return { status, text, type: headers.get('content-type'), authenticate: headers.get('www-authenticate') }
}

describe('A stranger', () => {
  it('creates no file by guessing 2,000 names, without keys or with invented keys (rules: sandboxes#keys)', async () => {
    const own = await sandboxes.create('own', { clock: 'manual' })
    const before = sandboxes.files
    const paths = ['/reserved_addrs', '/_fauxgate/state', '/_fauxgate/events', '/openapi.json']
    const statuses = await runMany(2000, async (n) => {
      const name = `guess-${n}`
      const all = guessHeaders(name, own)
      const path = paths[n % paths.length]
      const method = n % 3 === 0 ? 'POST' : 'GET'
      const { status } = await sandboxes.send(method, `/s/${name}${path}`, { headers: all[n % all.length] ?? {} })
      return status
    })
    expect(new Set(statuses)).toEqual(new Set([401]))
    for (const key of [null, own.created.control_key, `fgctl_guess_${createHex(64)}_${createHex(32)}`]) {
      expect((await openSocket(`${sandboxes.url}/s/guess/_fauxgate/events`, key)).status).toBe(401)
    }
    for (const headers of guessHeaders('guess', own)) {
      const host = { ...headers, host: 'guess.boxes.example.com' }
      expect((await sandboxes.sendExactly('GET', '/reserved_addrs', host)).status).toBe(401)
    }
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/fork'],
      ['POST', '/keys'],
      ['GET', '/keys'],
      ['DELETE', '/keys/ci'],
    ] as const) {
      const body = path === '/fork' ? { name: 'forked-guess' } : undefined
      expect((await sandboxes.callAccount(method, `/s/guess${path}`, body)).status).toBe(404)
    }
    expect(sandboxes.files).toEqual(before)
  })

  it('with 6,000 requests uses up no quota of a sandbox, and does not change its time of last use (rules: sandboxes#keys)', async () => {
    const owner = await sandboxes.create('owned')
    const other = await sandboxes.create('not-owned')
    let requestCount = 0
    const all = guessHeaders('owned', other)
    const requests = runMany(6000, (n) => {
      const path = n % 2 === 0 ? '/reserved_addrs' : '/_fauxgate/clock'
      return sandboxes.send('GET', `/s/owned${path}`, { headers: all[n % all.length] ?? {} })
    })
    let isOver = false
    const responses = requests.then((answers) => {
      isOver = true
      return answers
    })
    expect((await sandboxes.callAccount('GET', '/s/owned')).body.last_used_at).toBeNull()
    while (!isOver) {
      expect((await owner.send('GET', '/reserved_addrs')).status).toBe(200)
      expect((await owner.control('GET', '/clock')).status).toBe(200)
      requestCount++
    }
    expect(new Set((await responses).map(({ status }) => status))).toEqual(new Set([401]))
    expect(requestCount).toBeGreaterThan(0)
    // The journal has only the requests of the owner.
    expect((await owner.control('GET', '/requests')).body.length).toBe(Math.min(requestCount, 200))
    const { body } = await sandboxes.callAccount('GET', '/s/not-owned')
    expect(body.last_used_at).toBeNull()
  })

  it('cannot tell an existing sandbox from an unknown or removed one (rules: sandboxes#keys)', async () => {
    const existing = await sandboxes.create('is-there')
    const removed = await sandboxes.create('is-gone')
    await sandboxes.callAccount('DELETE', '/s/is-gone')
    const revokedKeys = { ...existing.created }
    const { body } = await sandboxes.callAccount('POST', '/s/is-there/keys', {})
    expect(body.api_key).not.toBe(revokedKeys.api_key)
    for (const path of ['/reserved_addrs', '/nowhere', '/_fauxgate/clock', '/_fauxgate/nowhere']) {
      const answers = []
      for (const [name, keys] of [
        ['is-there', revokedKeys],
        ['is-gone', removed.created],
        ['never-was', removed.created],
      ] as const) {
        const ownHeaders = { authorization: `Bearer ${keys.api_key}`, 'fauxgate-control-key': keys.control_key }
        for (const headers of [...guessHeaders(name, removed), ownHeaders]) {
          if (name === 'is-gone' && headers.authorization?.includes('is-there')) continue
          answers.push(removeName(await sandboxes.send('GET', `/s/${name}${path}`, { headers }), name))
        }
      }
      expect(answers[0]?.text).toContain('ERR_GATEWAY_90606')
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    }
    const pages = []
    for (const name of ['is-there', 'never-was']) {
      pages.push((await sandboxes.send('GET', `/s/${name}/_fauxgate/`)).text)
      const preflight = { origin: 'https://else.example.com', 'access-control-request-method': 'PUT' }
      const { status, headers } = await sandboxes.send('OPTIONS', `/s/${name}/reserved_addrs`, { headers: preflight })
      pages.push(JSON.stringify([status, headers.get('access-control-allow-methods')]))
    }
    expect(pages.slice(0, 2)).toEqual(pages.slice(2))
  })

  it('can try 20 account keys at once and then one a second, and delays no right key, not even from the same address (rules: sandboxes#account-key)', async () => {
    const tryKey = (key: string, from: string) =>
      sandboxes.sendExactly('GET', '/s', { 'fauxgate-account-key': key }, from).then(({ status, text }) => {
        return { status, code: JSON.parse(text).error_code }
      })
    const answers = await runMany(500, async (n) => {
      const [wrong, right] = await Promise.all([tryKey(`guess ${n}`, '127.0.0.2'), tryKey(ACCOUNT_KEY, '127.0.0.2')])
      return { wrong, right }
    })
    const wrong = answers.map((each) => each.wrong)
    const tries = wrong.filter(({ status }) => status === 401).length
    expect(tries).toBeGreaterThanOrEqual(20)
    expect(tries).toBeLessThan(60)
    const refusals = wrong.filter(({ status }) => status === 429)
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['ERR_GATEWAY_90608']))
    expect(tries + refusals.length).toBe(500)
    expect(new Set(answers.map(({ right }) => right.status))).toEqual(new Set([200]))
    expect((await tryKey('guess', '127.0.0.3')).status).toBe(401)
  })
})
