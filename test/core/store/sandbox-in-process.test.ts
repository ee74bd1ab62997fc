import { createHash } from 'node:crypto'
import { expect, it, onTestFinished, test, vi } from 'vitest'
import { parseAddress } from '../../../src/sandbox/address.ts'
import { ObjectPlatform } from '../../support/objects.ts'
import { describeSqlite } from '../../support/sqlite.ts'

vi.mock('cloudflare:workers', () => import('../../support/cloudflare-workers.ts'))
vi.mock('../../../src/sandbox/pages.ts', () => import('../../support/no-pages.ts'))

const ACCOUNT_KEY = 'the account key of this test'
const MANUAL_CLOCK = { clock: 'manual', start: '2026-01-01T00:00:00Z' }

/** Starts a Worker with its objects in this process. */
async function start(variables: object = {}) {
  const { default: worker, Sandbox, Account } = await import('../../../src/sandbox/index.ts')
  const platform = new ObjectPlatform({ SANDBOXES: Sandbox, ACCOUNTS: Account }, { ACCOUNT_KEY, ...variables })
  onTestFinished(() => platform.close())
  const send = async (
    method: string,
    path: string,
    body?: object | string,
    keys?: Readonly<Record<string, string>>,
  ) => {
    const headers = { 'content-type': 'application/json', ...(keys ?? { 'fauxgate-account-key': ACCOUNT_KEY }) }
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const request = new Request(`http://sandboxes.example.com${path}`, { method, headers, ...(text && { body: text }) })
    const response = await worker.fetch(request, platform.environment())
    return { status: response.status, text: await response.text() }
  }
  /** Creates a sandbox with one address, and returns its keys as headers. */
  const create = async (name: string, options: object = {}) => {
    const created = JSON.parse((await send('PUT', `/s/${name}`, { ...MANUAL_CLOCK, ...options })).text)
    const keys = toHeaders(created)
    await send('POST', `/s/${name}/reserved_addrs`, { description: `of ${name}` }, keys)
    return keys
  }
  const listAddresses = async (name: string, keys: Readonly<Record<string, string>>): Promise<string[]> => {
    const { text } = await send('GET', `/s/${name}/reserved_addrs`, undefined, keys)
    return JSON.parse(text).reserved_addrs?.map(({ description }: { description: string }) => description)
  }
  return { platform, send, create, listAddresses }
}

function toHeaders({ api_key, control_key }: { readonly api_key: string; readonly control_key: string }) {
  return { authorization: `Bearer ${api_key}`, 'service-version': '2', 'fauxgate-control-key': control_key }
}

describeSqlite('A sandbox that takes the place of another one', () => {
  it('has nothing of one that has ended and whose alarm has not run yet (rules: sandboxes#time)', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse('2026-01-01T00:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const { send, create, listAddresses } = await start()
    await create('original')
    await create('ended', { ttl: '5s' })
    vi.setSystemTime(Date.parse('2026-01-01T00:00:06Z'))
    const { text } = await send('POST', '/s/original/fork', { name: 'ended' })
    const keys = toHeaders(JSON.parse(text))
    expect(await listAddresses('ended', keys)).toEqual(['of original'])
    vi.runAllTimers()
    const requests = await send('GET', '/s/ended/_fauxgate/requests', undefined, keys)
    expect(requests.text).not.toContain('of ended')
  })

  it.each([
    ['damaged', "UPDATE fauxgate_records SET record = '{}'"],
    ['from a newer version', 'UPDATE fauxgate_schema SET version = 99'],
  ])('can replace one whose state is %s (rules: sandboxes#backup)', async (_, damage) => {
    const { platform, send, create, listAddresses } = await start()
    const keys = await create('one')
    const { text: archive } = await send('GET', '/backup')
    await platform.restart(0)
    platform.changeStorage('SANDBOXES', 'one', damage)
    expect((await send('GET', '/s/one')).status).toBe(503)
    expect((await send('POST', '/restore?existing=replace', archive)).text).toContain('"restored":1')
    expect(await listAddresses('one', keys)).toEqual(['of one'])
  })

  it('leaves one of version 0.1.0 its unsigned keys if its state cannot be restored (rules: sandboxes#keys)', async () => {
    const { platform, send, create, listAddresses } = await start()
    await create('one')
    const [line = ''] = (await send('GET', '/backup')).text.split('\n')
    const { state, ...sandbox } = JSON.parse(line)
    await platform.restart(0)
    const unsigned = { api_key: `fgapi_one_${'0a'.repeat(32)}`, control_key: '' }
    const digest = createHash('sha256').update(unsigned.api_key).digest('hex')
    const setDigest = `UPDATE _kv SET value = json_set(value, '$.keys[0].digest', '${digest}') WHERE key = 'sandbox'`
    platform.changeStorage('SANDBOXES', 'one', setDigest)
    const forgetSignatures = "UPDATE sandboxes SET facts = json_remove(facts, '$.hasSignedKeys')"
    platform.changeStorage('ACCOUNTS', 'account', forgetSignatures)
    const unreadable = { ...sandbox, state: { ...state, version: 99 } }
    expect((await send('POST', '/restore?existing=replace', unreadable)).text).toContain('"restored":"0"')
    expect(await listAddresses('one', toHeaders(unsigned))).toEqual(['of one'])
  })
})

test.each([
  ['/s/pa/../pb/reserved_addrs', 'pb', '/reserved_addrs'],
  ['/s/pa/%2e%2E/pb/reserved_addrs?a=/../c', 'pb', '/reserved_addrs?a=/../c'],
  ['/s/pa/x/../../pb', undefined, undefined],
  ['/s/pa/./_fauxgate/../clock', 'pa', '/clock'],
  ['/s/./pa/.//x', 'pa', '/x'],
  ['/x/../s/pa/x', 'pa', '/x'],
  ['/s/pa/..%2fpb/x', 'pa', '/..%2fpb/x'],
])(
  'Dot segments in a path are resolved before the sandbox is known: %s (rules: sandboxes#keys)',
  (path, name, below) => {
    const headers = new Headers()
    const raw = parseAddress({ url: `http://boxes.example${path}`, headers }, {})
    expect([raw.name, 'below' in raw ? raw.below : undefined]).toEqual([name, below])
    // The platform passes this URL on to the object of the sandbox.
    expect(parseAddress({ url: new URL(`http://boxes.example${path}`).href, headers }, {})).toEqual(raw)
  },
)

test.each(['a b', '[::1', 'x:99999'])('A Host header that is no host is an error of the request: %s', (host) => {
  const read = () => parseAddress({ url: `http://${host}/s/one/reserved_addrs`, headers: new Headers() }, {})
  expect(read).toThrow('The bytes received are not an HTTP/1.1 request: The Host header is not a host.')
})

describeSqlite('An archive (rules: sandboxes#backup)', () => {
  it.each([
    ['baseUrl', 'https://elsewhere.example'],
    ['keys', ['known']],
    ['control', { key: 'known' }],
    ['journalSize', 1e9],
    ['store', {}],
    ['ttl', 1000],
    ['snapshot', {}],
    ['unknown', 1],
  ])(
    'is rejected with the option %s, which no request can set, and creates no sandbox from it',
    async (name, value) => {
      const { send, create } = await start()
      await create('one')
      const [line = ''] = (await send('GET', '/backup')).text.split('\n')
      const sandbox = JSON.parse(line)
      const planted = { ...sandbox, name: 'two', options: { ...sandbox.options, [name]: value } }
      const { status, text } = await send('POST', '/restore', planted)
      expect([status, JSON.parse(text).details]).toMatchObject([
        409,
        { restored: '0', 'line 1': expect.stringContaining(`options.${name} is missing or invalid`) },
      ])
      expect((await send('GET', '/s/two')).status).toBe(404)
      expect((await send('POST', '/restore', { ...sandbox, name: 'three' })).text).toContain('"restored":1')
    },
  )

  it('restores a sandbox that exceeds a limit, since due events may have; further calls cannot make it larger', async () => {
    const from = await start()
    const keys = await from.create('large')
    for (const description of ['a', 'b', 'c']) await from.send('POST', '/s/large/reserved_addrs', { description }, keys)
    const { text: archive } = await from.send('GET', '/backup')
    const listed = await from.send('GET', '/s/large/reserved_addrs', undefined, keys)
    const to = await start({ MOST_RECORDS: '2' })
    const { status, text } = await to.send('POST', '/restore', archive)
    expect([status, JSON.parse(text)]).toMatchObject([200, { restored: 1, refused: 0 }])
    expect((await to.send('GET', '/s/large/reserved_addrs', undefined, keys)).text).toBe(listed.text)
    const { status: ofCreation, text: why } = await to.send('POST', '/s/large/reserved_addrs', {}, keys)
    expect(ofCreation).toBe(507)
    expect(why).toContain('The maximum is 2 (MOST_RECORDS)')
  })

  it.each(['dialect', 'clock'])('is not restored with a %s that this version does not have', async (option) => {
    const from = await start()
    await from.create('one')
    const [line = ''] = (await from.send('GET', '/backup')).text.split('\n')
    const { options, ...sandbox } = JSON.parse(line)
    const to = await start()
    const { text } = await to.send('POST', '/restore', { ...sandbox, options: { ...options, [option]: 'lunar' } })
    expect(JSON.parse(text).details['line 1']).toContain(`options.${option} is missing or invalid`)
    expect((await to.send('GET', '/s/one')).status).toBe(404)
  })
})

describeSqlite('A sandbox that an archive cannot hold (rules: sandboxes#backup)', () => {
  it('is named in the archive, and the others are whole', async () => {
    const { platform, send, create } = await start()
    for (const name of ['a', 'b', 'c']) await create(name)
    await platform.restart(0)
    platform.changeStorage('SANDBOXES', 'b', 'UPDATE fauxgate_schema SET version = 99')
    const { text } = await send('GET', '/backup')
    const lines = text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line)).map(({ name, error, end }) => [name, typeof error, end])).toEqual([
      ['a', 'undefined', undefined],
      ['b', 'string', undefined],
      ['c', 'undefined', undefined],
      [undefined, 'undefined', true],
    ])
    expect(lines.at(-1)).toBe('{"end":true,"sandboxes":2,"left_out":1}')
  })

  it('is named if its object fails, at once or in the middle of its line', async () => {
    const { send, create } = await start()
    for (const name of ['a', 'b', 'c']) await create(name)
    const { Sandbox } = await import('../../../src/sandbox/sandbox.ts')
    const copy = Sandbox.prototype.copy
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const spy = vi.spyOn(Sandbox.prototype, 'copy').mockImplementation(async function (
      this: InstanceType<typeof Sandbox>,
      name,
    ) {
      if (name === 'a') throw new Error('a failed')
      if (name === 'c') return copy.call(this, name)
      const parts = ['{"name":"b",']
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        const part = parts.pop()
        if (part === undefined) controller.error(new Error('b failed'))
        else controller.enqueue(new TextEncoder().encode(part))
      }
      return { line: new ReadableStream({ pull }) }
    })
    onTestFinished(() => {
      spy.mockRestore()
      errors.mockRestore()
    })
    const { text } = await send('GET', '/backup')
    expect(text.trim().split('\n').at(-1)).toBe('{"end":true,"sandboxes":1,"left_out":2}')
    const to = await start()
    const { status, text: restored } = await to.send('POST', '/restore', text)
    expect([status, JSON.parse(restored).details]).toMatchObject([409, { restored: '1' }])
    expect((await to.send('GET', '/s/c')).status).toBe(200)
  })

  it('is named when it is restored, if its line is too long, and the others are restored', async () => {
    const { send, create } = await start()
    for (const name of ['a', 'c']) await create(name)
    const [a = '', c = '', end = ''] = (await send('GET', '/backup')).text.split('\n')
    const long = `{"name":"b","more":"${'m'.repeat(28 * 1024 * 1024)}"}`
    const to = await start()
    const { status, text } = await to.send('POST', '/restore', [a, long, c, end].join('\n'))
    expect([status, JSON.parse(text).details]).toEqual([
      409,
      expect.objectContaining({
        restored: '2',
        'line 2': expect.stringContaining('the sandbox b is larger than 29360128 bytes'),
      }),
    ])
    for (const name of ['a', 'c']) expect((await to.send('GET', `/s/${name}`)).status).toBe(200)
  })
})

describeSqlite('A call of the account that fails by itself', () => {
  it.each([
    ['fork', 'POST', '/s/one/fork', 'Sandbox', 'copy'],
    ['backup', 'GET', '/backup', 'Account', 'list'],
  ] as const)(
    'is counted and in the audit log: %s (rules: sandboxes#audit-log)',
    async (call, method, path, name, failing) => {
      const { send, create } = await start()
      await create('one')
      const sandbox = await import('../../../src/sandbox/index.ts')
      // The tests of this file share the counts of one process.
      const countFailures = async () => Number(/{status="5xx"} (\d+)/.exec((await send('GET', '/metrics')).text)?.[1])
      const before = await countFailures()
      const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined)
      const prototype: Record<string, () => Promise<never>> = sandbox[name].prototype as never // The two classes have these methods.
      const spy = vi.spyOn(prototype, failing).mockRejectedValue(new Error('a defect'))
      const { status, text } = await send(method, path, method === 'POST' ? { name: 'two' } : undefined)
      expect([status, JSON.parse(text).error_code]).toEqual([500, 'ERR_GATEWAY_90501'])
      expect(errors).toHaveBeenCalled()
      spy.mockRestore()
      errors.mockRestore()
      const [entry] = JSON.parse((await send('GET', '/s/_audit')).text).entries
      expect(entry).toMatchObject({ call, status: 500, error_code: 'ERR_GATEWAY_90501' })
      expect(await countFailures()).toBe(before + 1)
    },
  )
})

describeSqlite('Wrong account keys (rules: sandboxes#account-key)', () => {
  it.each([
    ['the same network of IPv6', 429, (n: number) => `2001:db8::${n}:1`],
    ['different networks of IPv6', 401, (n: number) => `2001:db8::${n}:0:0:0:1`],
    ['different addresses of IPv4, written as IPv6', 401, (n: number) => `::ffff:192.0.2.${n}`],
  ])('from %s are answered with %i at last', async (_, last, getAddress) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T00:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const { send } = await start()
    const statuses: number[] = []
    for (let n = 1; n <= 21; n++) {
      const headers = { 'fauxgate-account-key': 'wrong', 'cf-connecting-ip': getAddress(n) }
      statuses.push((await send('GET', '/s', undefined, headers)).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), last])
  })
})

describeSqlite('The journal of a sandbox (rules: sandboxes#journal)', () => {
  it('sets no timer, which would keep the object awake', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse('2026-01-01T00:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const { send, create } = await start()
    const keys = await create('one')
    expect((await send('GET', '/s/one/_fauxgate/requests', undefined, keys)).text).toContain('/reserved_addrs')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describeSqlite('A control of a sandbox that ends later (rules: control-api#errors)', () => {
  it('returns its result, and stores what it changed', async () => {
    const { platform, send, create } = await start()
    const keys = { ...(await create('one', { dialect: 'ngrok' })), 'ngrok-version': '2' }
    const call = (path: string, body: object) => send('POST', `/s/one/_fauxgate${path}`, body, keys)
    expect(JSON.parse((await call('/policy/check', { policy: '{}' })).text)).toEqual([])
    expect(await call('/traffic', { url: '' })).toMatchObject({ status: 400, text: expect.stringContaining('url is') })
    const { status, text } = await call('/agent/tunnels', { addr: 80 })
    expect([status, JSON.parse(text).public_url]).toEqual([200, expect.stringMatching(/^https:/)])
    await platform.restart(0)
    expect(JSON.parse((await send('GET', '/s/one/tunnels', undefined, keys)).text).tunnels).toHaveLength(1)
  })
})
