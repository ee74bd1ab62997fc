import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { suggestion } from '../../src/core/schema/nearest.ts'
import { gatewayRows } from '../../src/gateway/options.ts'
import { createGateway } from '../../src/index.ts'
import { configRows } from '../../src/server/options/config.ts'
import { readConfigFile } from '../../src/server/options/config-file.ts'
import { gatewayOptionsOf } from '../../src/server/options/gateway-options.ts'
import { parseOptions } from '../../src/server/options/parsed-options.ts'
import { expectError } from '../support/client.ts'
import { enterNewFolder } from '../support/folder.ts'

const FILE = resolve('fauxgate.config.json')
const NONE = { flags: new Map(), words: [] }
const parseConfig = (config: Record<string, unknown>, environment = {}) =>
  parseOptions(NONE, environment, { file: FILE, config })

describe('An invalid value in the config file is rejected, with the allowed values', () => {
  it.each(Object.keys(configRows))('%s', (name) => {
    const place = `"${name}" in fauxgate.config.json`
    const ours = expectError(() => parseConfig({ [name]: 5.5 })).message
    expect(ours).toMatch(new RegExp(`^${place} is (5\\.5|a number)\\. Allowed: \\S.*\\.$`))
    if (!(name in gatewayRows) || /^(dialect|initial|clock|authorityKeys)$/.test(name)) return
    const theirs = expectError(() => createGateway({ [name]: 5.5 } as object)).message
    expect(ours).toBe(theirs.replace(name, place))
  })

  it.each(['2026-01-01', '2026-02-30T00:00:00Z', 'now'])('a start of %j', (start) => {
    expect(() => parseConfig({ start })).toThrow('Allowed: an RFC 3339 time')
  })

  it('without showing a key', () => {
    expect(() => parseConfig({ keys: [' hush '] })).toThrow(/^"keys\.0" in \S+ is a string of 6 characters\. Allowed: /)
    expect(() => parseConfig({ control: 'hush' })).toThrow(/^"control" in \S+ is a string of 4 characters\. Allowed: /)
  })
})

describe('Without --config, the config file is found in the current folder', () => {
  beforeEach(() => void enterNewFolder())

  it('if there is one', async () => {
    expect(await readConfigFile(undefined)).toBeUndefined()
    writeFileSync('fauxgate.config.json', '{"port": 1}')
    expect(await readConfigFile(undefined)).toEqual({ file: resolve('fauxgate.config.json'), config: { port: 1 } })
    writeFileSync('other.json', '{"port": 2}')
    expect(await readConfigFile('other.json')).toMatchObject({ config: { port: 2 } })
  })

  it('and two config files are an error', async () => {
    for (const name of ['fauxgate.config.mjs', 'fauxgate.config.json']) writeFileSync(name, '')
    await expect(readConfigFile(undefined)).rejects.toThrow(
      new Error('Found fauxgate.config.json and fauxgate.config.mjs. Keep only one, or choose one with --config FILE.'),
    )
  })
})

describe('What a config file says', () => {
  it('names files relative to its folder, and may name its schema', () => {
    const files = { tlsRoot: 'a/root.pem', data: '../gateway.db', state: '/s.json', initial: './initial.json' }
    const { config } = parseOptions(NONE, {}, { file: '/somewhere/near/c.json', config: { $schema: 5, ...files } })
    expect(config).toEqual({
      tlsRoot: '/somewhere/near/a/root.pem',
      data: '/somewhere/gateway.db',
      state: '/s.json',
      initial: '/somewhere/near/initial.json',
    })
    expect(parseConfig({ seed: './seed' }).config).toEqual({ seed: './seed' })
  })

  it('is not changed by environment variables', () => {
    const config = { control: { key: 'k' }, quirks: {}, rateLimit: true }
    const read = parseConfig(config, {
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
})

describe('A variable of the environment', () => {
  it.each(['true', '1', 'True', 'false', '0'])('that is a switch can be %j', (text) => {
    expect(parseOptions(NONE, { FAUXGATE_TLS: text }, undefined).config).toEqual({ tls: /true|1/i.test(text) })
  })

  it.each([
    [{ FAUXGATE_TLS: 'yes' }, 'FAUXGATE_TLS is "yes". Allowed: true, false, 1, or 0.'],
    [{ FAUXGATE_TLS: 'toString' }, 'FAUXGATE_TLS is "toString". Allowed: true, false, 1, or 0.'],
    [{ FAUXGATE_PORT: '' }, 'FAUXGATE_PORT is empty. Set a value, or unset it.'],
    [{ FAUXGATE_KEY: 'a,,b' }, /^FAUXGATE_KEY is a string of 0 characters\. Allowed: a non-empty key/],
    [{ FAUXGATE_PORT: '080' }, undefined],
    [
      { FAUXGATE_PORT: '1234567890123456' },
      'FAUXGATE_PORT is "1234567890123456". Allowed: an integer from 0 to 65535.',
    ],
  ])('%j', (environment, message) => {
    const read = () => parseOptions(NONE, environment as Record<string, string>, undefined)
    if (message === undefined) expect(read().config).toEqual({ port: 80 })
    else expect(expectError(read).message).toMatch(message)
  })
})

describe('The options of the gateway', () => {
  const optionsOf = async (config: Record<string, unknown>) => gatewayOptionsOf(parseConfig(config))

  it('are the given ones, with the defaults of the command', async () => {
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
})

describe('The suggested name', () => {
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
    expect(suggestion(received, NAMES, (each) => `--${each}`)).toBe(name ? ` Did you mean --${name}?` : '')
  })

  it('is the first of two equally near names', () => {
    expect(suggestion('bat', ['cat', 'hat'])).toBe(' Did you mean cat?')
  })
})
