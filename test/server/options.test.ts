import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import { duration, integerFrom, oneOfThese, optionRow } from '../../src/core/schema/options.ts'
import { partsOf } from '../../src/core/schema/schema-parts.ts'
import { gatewayRows } from '../../src/gateway/options.ts'
import type { Config } from '../../src/generated/options.ts'
import { createGateway, type ManualClock } from '../../src/index.ts'
import { readArguments } from '../../src/server/commands/command.ts'
import { configRows } from '../../src/server/options/config.ts'
import { readConfigFile } from '../../src/server/options/config-file.ts'
import { gatewayOptionsOf } from '../../src/server/options/gateway-options.ts'
import { parseOptions } from '../../src/server/options/parsed-options.ts'
import { type Option, optionsOfRows, optionTable } from '../../src/server/options/table.ts'
import { startProcess, startServer, startServerProcess } from '../support/command.ts'
import { newFile } from '../support/folder.ts'

/** Reads flags, an environment and a config file. */
async function read(flags: readonly string[], environment: NodeJS.ProcessEnv = {}, file?: string): Promise<Config> {
  const readFlags = readArguments(flags, optionTable, 'serve')
  return parseOptions(readFlags, environment, file === undefined ? undefined : await readConfigFile(file)).config
}

/** A value of each kind of option, by its placeholder in the help. */
const VALUES: Readonly<Record<string, string | number>> = {
  '[HOST:]PORT': '0.0.0.0:4040',
  N: 10,
  D: '10m',
  FILE: '/tmp/a.file',
  HOST: 'localhost',
  KEY: 'k1',
  NAME: 'one.example.com',
  STATUS: 409,
  TEXT: 's',
  TIME: '2026-01-01T00:00:00Z',
  URL: 'https://gate.example',
}

/** Values for options that reject the value of their placeholder. */
const OTHERS = [
  ...Object.values(VALUES),
  409,
  'https://a.internal=http://127.0.0.1:3000',
  '30d',
  'a text that has more characters',
]

/** Returns an allowed value of an option, as a flag and as a config file write it. */
function valuesOf({ kind, value: placeholder, flag, schema }: Option): readonly [string, unknown] {
  if (kind === 'switch') return ['true', true]
  const choices = placeholder.split('|')
  const values = [VALUES[placeholder], choices[1] ?? choices[0], findMinimum(schema), ...OTHERS]
  const value = values.find((each) => each !== undefined && v.is(schema, each))
  if (value === undefined) throw new Error(`--${flag} takes none of ${values.join(', ')}: add a value to OTHERS.`)
  return [String(value), kind === 'texts' ? [value] : value]
}

/** Returns the minimum of a schema, if it has one. */
function findMinimum(schema: v.GenericSchema): number | undefined {
  const step = partsOf(schema).pipe?.find(({ type }) => type === 'min_value')
  return (step as { requirement?: number } | undefined)?.requirement // Valibot's steps of this type have it.
}

/** Creates an object with a value at a path. */
function createAtPath(path: string, value: unknown): Record<string, unknown> {
  const [first = '', second] = path.split('.')
  return { [first]: second === undefined ? value : { [second]: value } }
}

describe('Every option of the command', () => {
  it('has one flag and one variable', () => {
    expect(new Set(optionTable.map(({ flag }) => flag)).size).toBe(optionTable.length)
    expect(new Set(optionTable.map(({ variable }) => variable)).size).toBe(optionTable.length)
  })

  it('has none only if its value is neither a text, nor a number, nor a switch, nor a list of them', () => {
    const named = new Set(optionTable.map(({ path }) => path.split('.')[0]))
    const others = Object.entries<v.GenericSchema>(configRows).filter(([name]) => !named.has(name))
    expect(others.map(([name]) => name)).toContain('families')
    const values = [true, false, ...OTHERS]
    for (const [name, row] of others) {
      const allowed = [...values, ...values.map((each) => [each])].filter((value) => v.is(row, value))
      expect(allowed, `${name} has no flag`).toEqual([])
    }
  })

  const ports = v.array(integerFrom(1, 65_535))
  const regions = v.array(oneOfThese(['us', 'eu']))
  const waits = v.array(duration(1000))

  it.each([
    ['numbers', ports, '--of N', [443, 80], ['443', '80'], 'an integer from 1 to 65535'],
    ['one of several texts', regions, '--of us|eu', ['us', 'eu'], ['us', 'eu'], '"us" or "eu"'],
    ['durations', waits, '--of D', ['2s', '10m'], ['2s', '10m'], 'such as "30s", at least 1000 ms'],
  ])('can be a list of %s', (_kind, schema, help, value, texts, allowed) => {
    const table = optionsOfRows({ of: optionRow(schema, 'A list.') })
    expect(table.map(({ flag, value: placeholder }) => `--${flag} ${placeholder}`)).toEqual([help])
    const readFlags = (...flags: string[]) => readArguments(flags, table, 'serve')
    const flags = texts.flatMap((text) => ['--of', text])
    expect(parseOptions(readFlags(...flags), {}, undefined, table).config).toEqual({ of: value })
    expect(parseOptions(readFlags(), { FAUXGATE_OF: texts.join() }, undefined, table).config).toEqual({ of: value })
    expect(() => parseOptions(readFlags('--of', '0'), {}, undefined, table)).toThrow(allowed)
  })

  it('changes something: a file other than the tables of options reads it', () => {
    const root = new URL('../../src/', import.meta.url)
    const isTable = (path: string) => /^generated|^gateway.options\.ts|^server.options.config\.ts/.test(path)
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    const sources = paths.filter((path) => path.endsWith('.ts') && !isTable(path))
    const words = new Set(sources.flatMap((path) => readFileSync(new URL(path, root), 'utf8').match(/\w+/g) ?? []))
    expect(Object.keys(configRows).filter((name) => !words.has(name))).toEqual([])
  })

  it.each(optionTable)('--$flag is the same from a flag, the environment and a config file', async (option) => {
    const { flag, variable, kind, path } = option
    const [text, value] = valuesOf(option)
    const flags = kind === 'switch' ? [`--${flag}`] : [`--${flag}`, text]
    const expected = createAtPath(path, value)
    expect(await read(flags)).toEqual(expected)
    expect(await read([], { [variable]: text })).toEqual(expected)
    const [first = ''] = path.split('.')
    // The gateway accepts each value. It would read the file of `initial`.
    if (first in gatewayRows && first !== 'initial') {
      const parsedOptions = parseOptions(readArguments(flags, optionTable, 'serve'), {}, undefined)
      expect(createGateway(await gatewayOptionsOf(parsedOptions)).url).toMatch(/^http/)
    }
    // A config file has the whole backoff.
    if (first === 'internalErrorBackoff') return
    expect(await read([], {}, newFile('c.json', JSON.stringify(expected)))).toEqual(expected)
  })
})

describe('A manual clock without a start', () => {
  it('starts at a whole second, so an advance by the delay of the first attempt issues the certificate', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T00:00:00.750Z') })
    try {
      const { clock, ...options } = await gatewayOptionsOf(
        parseOptions(readArguments(['--clock', 'manual'], optionTable, 'serve'), {}, undefined),
      )
      const gateway = createGateway({ ...options, clock: clock as ManualClock })
      const policy = { authority: 'letsencrypt' } as const
      gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy })
      gateway.clock.advance('30s')
      expect(gateway.reservedDomains.list().reserved_domains[0]?.certificate).not.toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('Flags override variables, and variables override the config file', () => {
  it('one option at a time, also inside an object', async () => {
    const file = newFile(
      'c.json',
      '{"port": 1, "host": "a", "seed": "s", "control": {"key": "file", "allowHosts": ["x"]}, "tls": true}',
    )
    const environment = { FAUXGATE_PORT: '2', FAUXGATE_HOST: 'b', FAUXGATE_CONTROL_KEY: 'environment' }
    expect(await read(['--port', '3', '--no-tls'], environment, file)).toEqual({
      port: 3,
      host: 'b',
      seed: 's',
      control: { key: 'environment', allowHosts: ['x'] },
      tls: false,
    })
  })

  it('a plan beside the limits of the file', async () => {
    const file = newFile('c.json', '{"account": {"plan": "paygo", "limits": {"reserved_domains": 1}}}')
    const expected = { account: { plan: 'free', limits: { reserved_domains: 1 } } }
    expect(await read(['--plan', 'free'], {}, file)).toEqual(expected)
    expect(await read([], { FAUXGATE_PLAN: 'free' }, file)).toEqual(expected)
  })

  it('and a repeated flag keeps all values', async () => {
    expect(await read(['--key', 'a', '--key', 'b'])).toEqual({ keys: ['a', 'b'] })
    expect(await read([], { FAUXGATE_KEY: 'a,b' })).toEqual({ keys: ['a', 'b'] })
  })

  it('in the whole command', async () => {
    const file = newFile(
      'c.json',
      '{"port": 0, "dialect": "ngrok", "clock": "manual", "start": "2026-01-01T00:00:00Z"}',
    )
    const { url, output } = await startServer({ FAUXGATE_CONFIG: file, FAUXGATE_START: '2027-01-01T00:00:00Z' })
    expect(output.stdout).toMatch(/^fauxgate \(ngrok\) listens on /)
    expect(await (await fetch(`${url}/_fauxgate/clock`)).json()).toMatchObject({
      now: '2027-01-01T00:00:00Z',
      manual: true,
    })
  })
})

describe('A config file', () => {
  const CONFIG = "{ port: 0, dialect: 'ngrok', initial: './initial.json' }"
  const INITIAL = '{"reservedAddrs": [{"description": "from the beginning"}]}'
  // The installed types do not have it yet.
  const hasTypes = Boolean((process.features as { typescript?: unknown }).typescript)

  it.each([
    ['fauxgate.config.json', '{ "port": 0, "dialect": "ngrok", "initial": "./initial.json" }'],
    ['fauxgate.config.mjs', `export default ${CONFIG}`],
    ['fauxgate.config.js', `module.exports = ${CONFIG}`],
    ...(hasTypes ? [['fauxgate.config.ts', `const port: number = 0\nexport default { ...${CONFIG}, port }`]] : []),
  ])('can be %s; the files that it names are in its folder', async (name, text) => {
    const file = newFile(name as string, text as string)
    writeFileSync(join(file, '..', 'initial.json'), INITIAL)
    const { url } = await (name.endsWith('json')
      ? startServer({}, '--config', file)
      : startServerProcess('serve', '--config', file))
    const answer = await fetch(`${url}/reserved_addrs`, {
      headers: { authorization: 'Bearer k', 'ngrok-version': '2' },
    })
    expect(await answer.json()).toMatchObject({ reserved_addrs: [{ description: 'from the beginning' }] })
  })

  it('that is a module can set its own dialect, clock and initial state', async () => {
    const file = newFile(
      'fauxgate.config.mjs',
      'export default { clock: { now: () => 1e12 }, initial: { reservedAddrs: [{}] }, quiet: true }',
    )
    const { url } = await startServer({}, '--config', file)
    expect(await (await fetch(`${url}/_fauxgate/clock`)).json()).toMatchObject({
      now: '2001-09-09T01:46:40Z',
      manual: false,
    })
  })

  it('of another kind causes an error that names the allowed kinds', async () => {
    const { output, exited } = startProcess({}, 'serve', '--config', newFile('c.yaml', 'port: 1'))
    expect(await exited).toBe(2)
    expect(output.stderr).toContain(
      'c.yaml cannot be loaded: its name ends with .yaml. Allowed: .json, .js, .mjs, or .ts.',
    )
  })

  it.skipIf(hasTypes)(
    'in TypeScript causes an error that names the needed Node version, if this one cannot run it',
    async () => {
      const { output, exited } = startProcess({}, 'serve', '--config', newFile('c.ts', 'export default {}'))
      expect(await exited).toBe(2)
      expect(output.stderr).toContain('cannot run .ts files; 22.18 and newer can. See "fauxgate help serve".')
    },
  )
})
