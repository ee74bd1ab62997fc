// Writes tools/evidence/cel.json: the conformance tests of google/cel-spec that need no protocol buffers, as expressions with their
// results. Usage: node tools/evidence/cel.mjs <folder of a clone of google/cel-spec> <its commit>
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, commit] = process.argv.slice(2)
const FILES = [
  'basic',
  'comparisons',
  'conversions',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'parse',
  'plumbing',
  'string',
  'string_ext',
  'timestamps',
]

/** Matches a token of the text format: a comment, a text, a sign or a word. */
const TOKEN = /#.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[{}[\]:,;<>]|[^\s{}[\]:,;<>"'#]+/g

function parseMessage(tokens, end) {
  const fields = []
  for (;;) {
    const name = tokens.shift()
    if (name === undefined || name === end) return fields
    if (name === ',' || name === ';') continue
    const isMessage = tokens[0] === '{' || (tokens[0] === ':' && tokens[1] === '{')
    if (tokens[0] === ':') tokens.shift()
    if (isMessage) {
      tokens.shift()
      fields.push([name, parseMessage(tokens, '}')])
    } else fields.push([name, parseScalar(tokens)])
  }
}

function parseScalar(tokens) {
  let token = tokens.shift()
  if (token === '[') {
    while (tokens.shift() !== ']');
    return undefined
  }
  if (!/^["']/.test(token)) return { word: token }
  const bytes = [...readEscapes(token)]
  // Texts that follow one another are one text.
  while (/^["']/.test(tokens[0] ?? '')) {
    token = tokens.shift()
    bytes.push(...readEscapes(token))
  }
  return { bytes: Buffer.from(bytes) }
}

const ESCAPES = { n: 10, r: 13, t: 9, a: 7, b: 8, f: 12, v: 11 }

function* readEscapes(token) {
  const parts = token
    .slice(1, -1)
    .matchAll(/\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|[^\\]+/gs)
  for (const [whole, sign] of parts) {
    if (sign === undefined) yield* Buffer.from(whole)
    else if (/^[0-7]/.test(sign)) yield Number.parseInt(sign, 8) & 255
    else if (sign[0] === 'x' && sign.length > 1) yield Number.parseInt(sign.slice(1), 16)
    else if (/^[uU]/.test(sign) && sign.length > 1)
      yield* Buffer.from(String.fromCodePoint(Number.parseInt(sign.slice(1), 16)))
    else yield ESCAPES[sign] ?? sign.charCodeAt(0)
  }
}

const all = (message, name) => message.filter(([each]) => each === name).map(([, value]) => value)
const textOf = (value) => value?.bytes?.toString('utf8')

/** Returns a value as JSON that keeps its type; undefined for one that needs protocol buffers. */
function toValue([[kind, value] = []]) {
  if (kind === 'int64_value') return { int: value.word }
  if (kind === 'uint64_value') return { uint: value.word }
  if (kind === 'double_value') return { double: value.word }
  if (kind === 'bool_value') return { bool: value.word === 'true' }
  if (kind === 'string_value') return { string: textOf(value) }
  if (kind === 'bytes_value') return { bytes: value.bytes.toString('base64') }
  if (kind === 'null_value') return { null: true }
  if (kind === 'list_value') {
    const list = all(value, 'values').map(toValue)
    return list.includes(undefined) ? undefined : { list }
  }
  if (kind !== 'map_value') return undefined
  const map = all(value, 'entries').map((entry) => [toValue(all(entry, 'key')[0]), toValue(all(entry, 'value')[0])])
  return map.flat().includes(undefined) ? undefined : { map }
}

const NEEDS_MORE = ['bindings', 'type_env', 'container', 'disable_check', 'disable_macros', 'typed_result', 'unknown']

const tests = FILES.flatMap((file) => {
  const text = readFileSync(join(folder, `tests/simple/testdata/${file}.textproto`), 'utf8')
  const tokens = [...text.matchAll(TOKEN)].map(([token]) => token).filter((token) => !token.startsWith('#'))
  return all(parseMessage(tokens), 'section').flatMap((section) =>
    all(section, 'test').flatMap((test) => {
      if (test.some(([name]) => NEEDS_MORE.includes(name))) return []
      const [value] = all(test, 'value')
      const isError = all(test, 'eval_error').length > 0
      const expected = isError ? { error: true } : value ? toValue(value) : { bool: true }
      const expression = textOf(all(test, 'expr')[0])
      if (/google\.protobuf|cel\s*\.\s*expr/.test(expression)) return []
      const name = [file, textOf(all(section, 'name')[0]), textOf(all(test, 'name')[0])].join('/')
      return expected ? [{ name, expression, expected }] : []
    }),
  )
})
const source = `https://github.com/google/cel-spec/tree/${commit}/tests/simple/testdata`
writeFileSync(new URL('./cel.json', import.meta.url), `${JSON.stringify({ source, tests }, null, 1)}\n`)
console.log(`${tests.length} tests`)
