/** What can run the test of `fauxgate init`, in the order in which it is looked for. */
export const RUNNERS = ['vitest', 'jest', 'node'] as const

export type Runner = (typeof RUNNERS)[number]

/** A file that `fauxgate init` writes. */
export interface Written {
  readonly name: string
  readonly what: string
  readonly text: string
}

const INITIAL = 'fauxgate.initial.json'

/** The files for a test runner; the test is the last one. */
export function writtenFor(
  runner: Runner,
  { isModule, isTyped }: { readonly isModule: boolean; readonly isTyped: boolean },
): readonly [config: Written, initial: Written, test: Written] {
  const config = { dialect: 'ngrok', port: 4747, initial: INITIAL, provisioningDelay: '5s' }
  const initial = {
    reservedDomains: [{ domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }],
    reservedAddrs: [{ region: 'eu', description: 'for the staging gate' }],
  }
  return [
    { name: 'fauxgate.config.json', what: 'the options of "fauxgate serve"', text: json(config) },
    { name: INITIAL, what: 'what exists from the beginning', text: json(initial) },
    { name: testName(runner, isModule, isTyped), what: 'a first test', text: testText(runner, isModule) },
  ]
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function testName(runner: Runner, isModule: boolean, isTyped: boolean): string {
  if (runner === 'jest') return 'fauxgate.test.js'
  return `fauxgate.test.${runner === 'vitest' && isTyped ? 'ts' : isModule ? 'js' : 'mjs'}`
}

function testText(runner: Runner, isModule: boolean): string {
  return `${HEADS[runner === 'jest' && isModule ? 'jest module' : runner].join('\n')}

${BODY[runner].join('\n')}
`
}

const HEADS: Readonly<Record<Runner | 'jest module', readonly string[]>> = {
  vitest: [
    "import { readFileSync } from 'node:fs'",
    "import { ngrok } from 'fauxgate'",
    "import { test } from 'fauxgate/vitest'",
    "import { expect } from 'vitest'",
    '',
    `test.override('gatewayOptions', { dialect: ngrok, initial: JSON.parse(readFileSync('${INITIAL}', 'utf8')) })`,
  ],
  jest: [
    "const { createGateway, manualClock, ngrok } = require('fauxgate')",
    `const initial = require('./${INITIAL}')`,
  ],
  'jest module': [
    "import { readFileSync } from 'node:fs'",
    "import { createGateway, manualClock, ngrok } from 'fauxgate'",
    '',
    `const initial = JSON.parse(readFileSync('${INITIAL}', 'utf8'))`,
  ],
  node: [
    "import assert from 'node:assert/strict'",
    "import { readFileSync } from 'node:fs'",
    "import { test } from 'node:test'",
    "import { createGateway, manualClock, ngrok } from 'fauxgate'",
    '',
    `const initial = JSON.parse(readFileSync('${INITIAL}', 'utf8'))`,
  ],
}

const CREATED =
  "  const gateway = createGateway({ dialect: ngrok, clock: manualClock('2026-01-01T00:00:00Z'), initial })"

const ASKED = [
  "  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is one in the file that is written
  '  const list = async () => (await gateway.fetch(`${gateway.url}/reserved_domains`, { headers })).json()',
  '  const [before] = (await list()).reserved_domains',
]
const ADVANCED = ["  gateway.clock.advance('30s')", '  const [after] = (await list()).reserved_domains']

const NAME = "'a domain gets its certificate after half a minute'"

const EXPECTED = [
  `test(${NAME}, async () => {`,
  CREATED,
  ...ASKED,
  '  expect(before.certificate).toBeNull()',
  ...ADVANCED,
  '  expect(after.certificate).not.toBeNull()',
  '})',
]

const BODY: Readonly<Record<Runner, readonly string[]>> = {
  vitest: [`test(${NAME}, async ({ gateway }) => {`, ...EXPECTED.slice(2)],
  jest: EXPECTED,
  node: [
    `test(${NAME}, async () => {`,
    CREATED,
    ...ASKED,
    '  assert.equal(before.certificate, null)',
    ...ADVANCED,
    '  assert.notEqual(after.certificate, null)',
    '})',
  ],
}
