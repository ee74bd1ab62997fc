/** The test runners that `fauxgate init` knows, in the order in which it looks for them. */
export const RUNNERS = ['vitest', 'jest', 'node'] as const

export type Runner = (typeof RUNNERS)[number]

/** A file that `fauxgate init` writes. */
export interface Written {
  readonly name: string
  readonly what: string
  readonly text: string
}

const INITIAL = 'fauxgate.initial.json'

/** Makes the files for a test runner; the test is the last one. */
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
  const head = HEADS[runner === 'jest' && isModule ? 'jest module' : runner]
  const fixture = runner === 'vitest' ? '{ gateway }' : ''
  const [isNull, isNotNull] =
    runner === 'node'
      ? ['assert.equal(before.certificate, null)', 'assert.notEqual(after.certificate, null)']
      : ['expect(before.certificate).toBeNull()', 'expect(after.certificate).not.toBeNull()']
  return `${head}

test('a domain gets its certificate after half a minute', async (${fixture}) => {${runner === 'vitest' ? '' : CREATED}
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }
  const list = async () => (await gateway.fetch(\`\${gateway.url}/reserved_domains\`, { headers })).json()
  const [before] = (await list()).reserved_domains
  ${isNull}
  gateway.clock.advance('30s')
  const [after] = (await list()).reserved_domains
  ${isNotNull}
})
`
}

const CREATED = `
  const gateway = createGateway({ dialect: ngrok, clock: manualClock('2026-01-01T00:00:00Z'), initial })`

const READ_INITIAL = `JSON.parse(readFileSync('${INITIAL}', 'utf8'))`

const HEADS: Readonly<Record<Runner | 'jest module', string>> = {
  vitest: `import { readFileSync } from 'node:fs'
import { ngrok } from 'fauxgate'
import { test } from 'fauxgate/vitest'
import { expect } from 'vitest'

test.override('gatewayOptions', { dialect: ngrok, initial: ${READ_INITIAL} })`,
  jest: `const { createGateway, manualClock, ngrok } = require('fauxgate')
const initial = require('./${INITIAL}')`,
  'jest module': `import { readFileSync } from 'node:fs'
import { createGateway, manualClock, ngrok } from 'fauxgate'

const initial = ${READ_INITIAL}`,
  node: `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createGateway, manualClock, ngrok } from 'fauxgate'

const initial = ${READ_INITIAL}`,
}
