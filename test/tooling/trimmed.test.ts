import { type ParseError, parse } from '@marcbachmann/cel-js'
import { build } from 'esbuild'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { trimmed } from '../../scripts/trimmed.ts'
import { check } from '../support/property.ts'

type Parse = typeof parse

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
    const { outputFiles } = await build({
      stdin: { contents: `export { parse } from '@marcbachmann/cel-js'`, resolveDir: import.meta.dirname },
      bundle: true,
      format: 'esm',
      write: false,
      plugins: [trimmed],
    })
    const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`
    built = (await import(url)).parse
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
