import { type ParseError, parse } from '@marcbachmann/cel-js'
import { build } from 'esbuild'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { trimmed } from '../../scripts/trimmed.ts'
import { createGateway } from '../../src/index.ts'
import { certificatePair } from '../../src/testing/certificates.ts'
import { check } from '../support/property.ts'

type Parse = typeof parse

/** What a module exports when it is built as the package is. */
async function builtOf<T>(contents: string): Promise<T> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    conditions: ['browser', 'import'],
    write: false,
    plugins: [trimmed],
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`)
}

/** The tree of an expression, or what its parser says is wrong with it. */
function read(parser: Parse, source: string): unknown {
  try {
    return parser(source).ast
  } catch (error) {
    const { code, summary, range } = error as ParseError
    return { code, summary, range }
  }
}

describe('The parser in the build, which lacks the rest of its library', () => {
  let built: Parse

  beforeAll(async () => {
    built = (await builtOf<{ parse: Parse }>(`export { parse } from '@marcbachmann/cel-js'`)).parse
  })

  function reads(source: string): void {
    expect(JSON.stringify(read(built, source), plain)).toBe(JSON.stringify(read(parse, source), plain))
  }
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

  it.each([
    'obj.id == "ra_1" && !(obj.port in [1, 2u, -3, 4.5e3, 0x1F])',
    'size(obj.name) > 2 ? {"a": b"\\x41"} : r"\\n"',
    'has(obj.metadata.a)',
    'has(obj)',
    'list.all(x, x > 1) || list.exists(x, x) || list.exists_one(x, x) || list.map(x, x).filter(x, x) == []',
    'list.all(1, x)',
    'list.map(1, x)',
    'list.map(x, true, x)',
    'list.map(1, true, x)',
    'list.exists(1, x)',
    'list.exists_one(1, x)',
    'list.filter("x", x)',
    'cel.bind(x, 1, x + 1)',
    'cel.bind(1, 1, 1)',
    'all(1, 2)',
    'a.?b',
    'a[?0]',
    'a..b',
    'a.b(',
    '',
    '"a',
    'a = b',
    'return',
    '18446744073709551616u',
    `${'('.repeat(300)}1${')'.repeat(300)}`,
    `[${'1,'.repeat(1100)}]`,
  ])('reads %j as the whole library does', reads)

  it('reads any sequence of tokens as the whole library does', () => {
    const token = fc.constantFrom(
      ...['a', 'obj', 'has', 'all', 'map', 'filter', 'exists', 'cel', 'bind', '.', ',', '(', ')', '[', ']', '{', '}'],
      ...[
        '?',
        ':',
        '!',
        '-',
        '+',
        '*',
        '/',
        '%',
        '<',
        '<=',
        '==',
        '!=',
        '>=',
        '&&',
        '||',
        ' in ',
        '1',
        '2u',
        '"t"',
        '//',
      ],
    )
    check(fc.property(fc.array(token, { maxLength: 20 }), (tokens) => reads(tokens.join(''))))
  })
})

describe('The certificates of the build, which lacks parts of forge and puts the curves off', () => {
  const options = { seed: 'build', clock: { now: Date.UTC(2026, 0, 1) } }
  const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const
  let built: { certificatePair: typeof certificatePair; createGateway: typeof createGateway }

  beforeAll(async () => {
    const [gateway, testing] = ['../../src/index.ts', '../../src/testing/certificates.ts']
    built = await builtOf(`export { createGateway } from '${gateway}'; export { certificatePair } from '${testing}'`)
  })

  it.each(['rsa', 'ecdsa', 'ed25519'] as const)('are made and read as the source does: %s', (keyType) => {
    const pair = certificatePair({ keyType, issuers: 2, names: ['a.example.com'], ips: ['::1'] })
    expect(built.certificatePair({ keyType, issuers: 2, names: ['a.example.com'], ips: ['::1'] })).toEqual(pair)
    const [here, there] = [createGateway(options), built.createGateway(options)]
    expect(there.tlsCertificates.create(pair)).toEqual(here.tlsCertificates.create(pair))
  })

  it('are issued as the source does', () => {
    const [here, there] = [createGateway, built.createGateway].map((create) => {
      const clock = { now: Date.UTC(2026, 0, 1) }
      const gateway = create({ ...options, clock })
      gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy })
      clock.now += 3_600_000
      return gateway.tlsCertificates.list()
    })
    expect(here?.tls_certificates.length).toBe(1)
    expect(there).toEqual(here)
  })
})
