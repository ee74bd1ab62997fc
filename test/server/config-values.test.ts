import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { nearest, suggestion } from '../../src/schema/nearest.ts'
import { configRows } from '../../src/server/options/config.ts'
import { pathFromHere, readConfigFile } from '../../src/server/options/config-file.ts'
import { gatewayOptionsOf, refusedOptions } from '../../src/server/options/gateway-options.ts'
import { mistypedVariables, parseOptions } from '../../src/server/options/parsed-options.ts'
import { thrownBy } from '../support/client.ts'
import { enterNewFolder } from '../support/folder.ts'

const FILE = resolve('fauxgate.config.json')
const NONE = { flags: new Map(), words: [] }
const given = (config: Record<string, unknown>, environment = {}) =>
  parseOptions(NONE, environment, { file: FILE, config })

/** The options that only the command has, with their values. */
const OWN: Readonly<Record<string, string>> = {
  port: 'an integer from 0 to 65535',
  host: 'a host name or an address',
  name: 'a text of 1 to 100 characters',
  tls: 'true or false',
  tlsRoot: 'the path of a file',
  data: 'the path of a file',
  state: 'the path of a file',
  quiet: 'true or false',
  log: '"text" or "json"',
  latency: 'a number of ms, or a whole number with ms, s, m, h or d, such as "30s"',
  watch: 'true or false',
  dialect: '"standard" or "ngrok"',
  initial: 'the path of a file, or an object with arrays of bodies',
  clock: '"system" or "manual"',
  start: 'an RFC 3339 time such as "2026-01-01T00:00:00Z"',
  authorityKeys: '"test" or "fresh"',
}

describe('A value of the config file that an option cannot have is refused, with what it can be', () => {
  it.each(Object.entries(OWN))('%s: %s', (name, allowed) => {
    const refused = `"${name}" in fauxgate.config.json is 5.5. Allowed: ${allowed}.`
    expect(() => given({ [name]: 5.5 })).toThrow(new Error(refused))
    expect(() => given({ [name]: '' })).toThrow(`"${name}" in fauxgate.config.json is "". Allowed: `)
  })

  it.each(Object.keys(configRows).filter((name) => !(name in OWN)))('%s, like createGateway', (name) => {
    const theirs = thrownBy(() => createGateway({ [name]: 5.5 } as object)).message
    expect(theirs).toMatch(new RegExp(`^${name} is (5\\.5|a number)\\. Allowed: `))
    const ours = thrownBy(() => given({ [name]: 5.5 })).message
    expect(ours).toBe(theirs.replace(name, `"${name}" in fauxgate.config.json`))
  })

  it.each(['2026-01-01', '2026-02-30T00:00:00Z', 'now'])('a start of %j', (start) => {
    expect(() => given({ start })).toThrow('Allowed: an RFC 3339 time')
  })

  it('and no key is shown', () => {
    expect(() => given({ keys: [' hush '] })).toThrow(/^"keys" in \S+ is an array of 1\. Allowed: /)
    expect(() => given({ control: 'hush' })).toThrow(/^"control" in \S+ is a string of 4 characters\. Allowed: /)
  })

  it('and a name that is none, with the one that was meant', () => {
    expect(() => given({ prot: 1 })).toThrow(
      new Error('"prot" in fauxgate.config.json is not an option. Did you mean port?'),
    )
    expect(() => given({ toString: 1 })).toThrow(new Error('"toString" in fauxgate.config.json is not an option.'))
  })
})

describe('A config file that nobody named is the one that stands here', () => {
  let folder: string
  beforeEach(() => {
    folder = enterNewFolder()
  })

  it('if any does', async () => {
    expect(await readConfigFile(undefined)).toBeUndefined()
    writeFileSync('fauxgate.config.json', '{"port": 1}')
    expect(await readConfigFile(undefined)).toEqual({ file: resolve('fauxgate.config.json'), config: { port: 1 } })
    writeFileSync('other.json', '{"port": 2}')
    expect(await readConfigFile('other.json')).toMatchObject({ config: { port: 2 } })
  })

  it('and of two none', async () => {
    for (const name of ['fauxgate.config.mjs', 'fauxgate.config.json']) writeFileSync(name, '')
    await expect(readConfigFile(undefined)).rejects.toThrow(
      new Error('There are fauxgate.config.json and fauxgate.config.mjs. Keep one, or name it: --config FILE.'),
    )
  })

  it('and is shown as people call it', async () => {
    for (const [text, message] of [
      ['[]', 'fauxgate.config.json holds an array of 0. Allowed: an object with options.'],
      ['{', 'fauxgate.config.json is not JSON: at line 1, column 2 '],
    ] as const) {
      writeFileSync('fauxgate.config.json', text)
      await expect(readConfigFile(undefined)).rejects.toThrow(message)
    }
    await expect(readConfigFile('.')).rejects.toThrow(/ cannot be (loaded|read): \S/)
    expect([pathFromHere(join(folder, 'a/b')), pathFromHere(join(folder, '../b'))]).toEqual(['a/b', '../b'])
    expect(pathFromHere(join(folder, '../../b'))).toMatch(/^\//)
  })

  it('and says in one line why it cannot be loaded', async () => {
    writeFileSync('fauxgate.config.mjs', 'throw new Error("one\\ntwo")')
    await expect(readConfigFile(undefined)).rejects.toThrow(new Error('fauxgate.config.mjs cannot be loaded: one.'))
    writeFileSync('other.mjs', 'throw "a text"')
    await expect(readConfigFile('other.mjs')).rejects.toThrow(new Error('other.mjs cannot be loaded: a text.'))
  })
})

describe('What a config file says', () => {
  it('names files from where it stands, and may name its own schema', () => {
    const files = { tlsRoot: 'a/root.pem', data: '../gateway.db', state: '/s.json', initial: './initial.json' }
    const { config } = parseOptions(NONE, {}, { file: '/somewhere/near/c.json', config: { $schema: 5, ...files } })
    expect(config).toEqual({
      tlsRoot: '/somewhere/near/a/root.pem',
      data: '/somewhere/gateway.db',
      state: '/s.json',
      initial: '/somewhere/near/initial.json',
    })
    expect(given({ host: 'a/b', seed: './seed' }).config).toEqual({ host: 'a/b', seed: './seed' })
  })

  it('is not changed by what the environment adds to it', () => {
    const config = { control: { key: 'k' }, quirks: {}, rateLimit: true }
    const read = given(config, {
      FAUXGATE_ALLOW_HOST: 'a,b',
      FAUXGATE_KEEP_BACKENDS_ON_PATCH: 'TRUE',
      FAUXGATE_RATE_LIMIT_REQUESTS: '5',
    })
    expect(read.config).toEqual({
      control: { key: 'k', allowHosts: ['a', 'b'] },
      quirks: { keepBackendsOnPatch: true },
      rateLimit: { requests: 5 },
    })
    expect(config).toEqual({ control: { key: 'k' }, quirks: {}, rateLimit: true })
    expect(Object.fromEntries(read.names)).toMatchObject({
      'control.key': '"control.key" in fauxgate.config.json',
      'control.allowHosts': 'FAUXGATE_ALLOW_HOST',
      'rateLimit.requests': 'FAUXGATE_RATE_LIMIT_REQUESTS',
      'rateLimit.window': '"rateLimit.window" in fauxgate.config.json',
    })
  })

  it('can be an object of a class, which stays that object', () => {
    class Clock {
      now = () => 5
    }
    const clock = new Clock()
    expect(given({ clock }).config.clock).toBe(clock)
  })
})

describe('A variable of the environment', () => {
  it.each([
    ['true', true],
    ['1', true],
    ['True', true],
    ['false', false],
    ['0', false],
  ])('that is a switch can be %j', (text, isOn) => {
    expect(parseOptions(NONE, { FAUXGATE_TLS: text }, undefined).config).toEqual({ tls: isOn })
  })

  it.each([
    [{ FAUXGATE_TLS: 'yes' }, 'FAUXGATE_TLS is "yes". Allowed: true, false, 1 or 0.'],
    [{ FAUXGATE_TLS: 'toString' }, 'FAUXGATE_TLS is "toString". Allowed: true, false, 1 or 0.'],
    [{ FAUXGATE_PORT: '' }, 'FAUXGATE_PORT is empty. Give it a value, or do not set it.'],
    [{ FAUXGATE_KEY: 'a,,b' }, /^FAUXGATE_KEY is a string of 0 characters\. Allowed: a non-empty key/],
    [{ FAUXGATE_PORT: '080' }, undefined],
    [
      { FAUXGATE_PORT: '1234567890123456' },
      'FAUXGATE_PORT is "1234567890123456". Allowed: an integer from 0 to 65535.',
    ],
  ])('%j', (environment, message) => {
    const read = () => parseOptions(NONE, environment as Record<string, string>, undefined)
    if (message === undefined) expect(read().config).toEqual({ port: 80 })
    else expect(thrownBy(read).message).toMatch(message)
  })

  it('that is near one that is read is told of, and no other', () => {
    const environment = {
      FAUXGATE_PROT: '1',
      FAUXGATE_PORT: '1',
      FAUXGATE_URL: 'x',
      FAUXGATE_CONFIG: 'x',
      FAUXGATE_CA: 'x',
    }
    expect(mistypedVariables({ ...environment, FAUXGATE_ZZZZZZZZ: '1', AUXGATE_PORT: '1', PORT: '1' })).toEqual([
      'FAUXGATE_PROT is not read. Did you mean FAUXGATE_PORT?',
    ])
  })
})

describe('What the gateway is made with', () => {
  const optionsOf = async (config: Record<string, unknown>) => gatewayOptionsOf(given(config))

  it('is what was given for it, and what the command says otherwise', async () => {
    const server = { port: 1, host: 'h', tls: true, tlsRoot: 't', data: 'd', state: 's', quiet: true, log: 'json' }
    const { clock, ...rest } = await optionsOf(server)
    expect(rest).toEqual({ authorityKeys: 'fresh' })
    expect(typeof clock?.now).toBe('function')
    expect(await optionsOf({ authorityKeys: 'test', seed: 's', initial: {} })).toMatchObject({
      authorityKeys: 'test',
      seed: 's',
      initial: {},
    })
  })

  it('has a clock that starts now, or when it is told', async () => {
    const { clock } = await optionsOf({ clock: 'manual', start: '2026-01-01T00:00:00Z' })
    expect(clock).toMatchObject({ now: Date.UTC(2026, 0, 1) })
    expect((await optionsOf({ clock: 'manual' })).clock).toMatchObject({ now: expect.any(Number) })
    await expect(optionsOf({ start: '2026-01-01T00:00:00Z' })).rejects.toThrow(
      new Error('"start" in fauxgate.config.json needs --clock manual.'),
    )
  })

  it('is refused in the words in which it was given; what is no refusal stays as it is', () => {
    const names = new Map([
      ['dnsErrorRetry', '--dns-error-retry'],
      ['initial', 'FAUXGATE_INITIAL'],
    ])
    const said = (error: unknown) => (refusedOptions(error, names) as Error).message
    expect(said(new TypeError('dnsErrorRetry is 5.\nAllowed: less.'))).toBe('--dns-error-retry is 5.\nAllowed: less.')
    expect(said(new TypeError('initial.reservedAddrs[2].region is 5.'))).toBe(
      'FAUXGATE_INITIAL, at reservedAddrs[2].region is 5.',
    )
    expect(said(new TypeError('other is 5.'))).toBe('other is 5.')
    expect(said(new TypeError('"quoted" is 5.'))).toBe('"quoted" is 5.')
    expect(refusedOptions(new TypeError('x'), names)).not.toBeInstanceOf(TypeError)
    const own = new Error('dnsErrorRetry is broken')
    expect(refusedOptions(own, names)).toBe(own)
    expect(refusedOptions('a text', names)).toBe('a text')
  })
})

describe('The name that was meant', () => {
  const NAMES = ['port', 'host', 'base-url', 'dns', 'dns-error-retry', 'keep-backends-on-patch']
  it.each([
    ['prot', 'port'],
    ['pot', 'port'],
    ['xort', 'port'],
    ['por', 'port'],
    ['po', undefined],
    ['baseurl', 'base-url'],
    ['base', 'base-url'],
    ['dsn', 'dns'],
    ['dns-retry', 'dns-error-retry'],
    ['retry-dns', 'dns-error-retry'],
    ['', undefined],
  ])('of %j is %j', (received, name) => {
    expect(nearest(received, NAMES)).toBe(name)
    expect(suggestion(received, NAMES, (each) => `--${each}`)).toBe(name ? ` Did you mean --${name}?` : '')
  })

  it('is the first one of two that are as near', () => {
    expect(nearest('bat', ['cat', 'hat'])).toBe('cat')
    expect(suggestion('bat', ['cat'])).toBe(' Did you mean cat?')
  })
})
