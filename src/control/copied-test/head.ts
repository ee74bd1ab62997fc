import type { History } from './history.ts'
import { Call, escapeInvisible, INDENT, type Runner, SourceWriter, WIDTH } from './source.ts'

interface TestParts {
  /** The time of the first step. */
  readonly start: string
  /** The parts of the history that are missing in the test. */
  readonly missing: readonly string[]
  /** The lines of the test's function. */
  readonly body: string
}

/** Returns a test file with these lines. */
export function writeTestFile(runner: Runner, history: History, { start, missing, body }: TestParts): string {
  const { url, versionHeader, used, dialect } = history
  const source = new SourceWriter()
  const options = { clock: new Call('manualClock', [start]), ...used.options }
  const headers = { authorization: 'Bearer key', ...versionHeader, 'content-type': 'application/json' }
  return [
    `// The requests that the gateway at ${url} has received since ${start}.`,
    ...missing.map((what) => `// Left out: ${escapeInvisible(what)}.`),
    ...writeImports(runner, dialect === 'ngrok', source.write(options, WIDTH - 42)),
    '',
    source.writeLine('const headers = ', headers, ''),
    '',
    `test('the requests since ${start} get the same responses again', async ({ gateway }) => {`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is part of the source.
    ...writeHelper(body, 'send', '${gateway.url}'),
    // Controls accept requests from this machine only.
    ...writeHelper(body, 'control', 'http://localhost/_fauxgate'),
    '',
    `${body}})`,
    '',
  ].join('\n')
}

/** Returns the definition of a function that sends requests to a base URL, if the test calls it. */
function writeHelper(body: string, name: string, base: string): string[] {
  if (!body.includes(`${name}(`)) return []
  return [
    `${INDENT}const ${name} = (path = '/', init = {}) => gateway.fetch(\`${base}\${path}\`, { headers, ...init })`,
  ]
}

/** Returns a test's imports, and the definition of its `test`. */
function writeImports(runner: Runner, isNgrok: boolean, options: string): string[] {
  const create = isNgrok ? 'createNgrok' : 'createGateway'
  const load = (names: string, from: string) =>
    runner === 'Jest' ? `const { ${names} } = require('${from}')` : `import { ${names} } from '${from}'`
  const main = isNgrok
    ? [load('manualClock', 'fauxgate'), load(create, 'fauxgate/ngrok')]
    : [load(`${create}, manualClock`, 'fauxgate')]
  if (runner === 'vitest') {
    return [
      ...main,
      load('testUsing', 'fauxgate/vitest'),
      load('expect', 'vitest'),
      '',
      `const test = testUsing(${create})`,
      `test.override('gatewayOptions', () => (${options}))`,
      "test.override('strict', false)",
    ]
  }
  const isJest = runner === 'Jest'
  return [
    ...(isJest ? [] : ["import assert from 'node:assert/strict'", load('test as base', 'node:test')]),
    ...main,
    load('testWithGateway', 'fauxgate/testing'),
    '',
    `const test = testWithGateway(${isJest ? 'globalThis.test' : 'base'}, {`,
    `  create: ${create},`,
    `  gatewayOptions: () => (${options.replaceAll('\n', '\n  ')}),`,
    '  strict: false,',
    '})',
  ]
}
