/** The test runners that `fauxgate init` supports, in the order of the search. */
export const RUNNERS = ['vitest', 'jest', 'playwright', 'bun', 'deno', 'node'] as const

export type TestRunner = (typeof RUNNERS)[number]

/** The facts about a project that determine how its first test is written. */
export interface ProjectFacts {
  /** True if package.json contains `"type": "module"`. */
  readonly isModule: boolean
  /** True if the project has a tsconfig.json. */
  readonly isTyped: boolean
  /** True if package.json mentions ts-jest. */
  readonly hasTsJest: boolean
  /** The text of Jest's configuration, or undefined if it doesn't exist. */
  readonly jestConfig?: string | undefined
}

/** A file that `fauxgate init` writes. */
export interface InitFile {
  readonly name: string
  readonly purpose: string
  readonly text: string
}

export const INITIAL = 'fauxgate.initial.json'

/** The time from setting a policy to receiving the certificate, in the served gateway and in the first test. */
export const DELAY = '5s'

type Kind = TestRunner | 'jest module' | 'ts-jest' | 'typed playwright'

/** Returns the source of a first test. Its fixture adds the report to errors, and runs the strict check. */
export function firstTest(runner: TestRunner, facts: ProjectFacts): string {
  const jest = facts.hasTsJest ? 'ts-jest' : facts.isModule ? 'jest module' : 'jest'
  const playwright = facts.isTyped ? 'typed playwright' : 'playwright'
  const kind = runner === 'jest' ? jest : runner === 'playwright' ? playwright : runner
  const [request, get] = runner === 'playwright' ? [', request', 'request.get'] : ['', 'gateway.fetch']
  const [isNull, isNotNull] =
    kind === 'node' || kind === 'deno'
      ? ['assert.equal(before.certificate, null)', 'assert.notEqual(after.certificate, null)']
      : ['expect(before.certificate).toBeNull()', 'expect(after.certificate).not.toBeNull()']
  return `${HEADS[kind]}

test('a domain gets its certificate after five seconds', async ({ gateway${request} }) => {
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }
  const list = async () => (await ${get}(\`\${gateway.url}/reserved_domains\`, { headers })).json()
  const [before] = (await list()).reserved_domains
  ${isNull}
  gateway.clock.advance('${DELAY}')
  const [after] = (await list()).reserved_domains
  ${isNotNull}
})
${kind === 'ts-jest' ? MATCHER_TEST : ''}`
}

/** The second test for TypeScript in Jest. */
const MATCHER_TEST = `
test('and keeps it, as the matchers confirm', ({ gateway }) => {
  expect(gateway).toBeProvisioning('app.example.com')
  gateway.clock.advance('${DELAY}')
  expect(gateway).toHaveCertificate('app.example.com')
})
`

/** The options of the gateway in each test, the same as in the config file. */
const OPTIONS = `{ provisioningDelay: '${DELAY}', initial }`
const READ_INITIAL = `const initial = JSON.parse(readFileSync('${INITIAL}', 'utf8'))`

/** Returns the line that wraps the runner's `test` with `testWithGateway`. */
const testLine = (base: string) =>
  `const test = testWithGateway(${base}, { create: createNgrok, gatewayOptions: ${OPTIONS} })`

const READ = `import { readFileSync } from 'node:fs'`

/** Returns the beginning of a test file that is an ECMAScript module. `base` is the runner's `test`. */
const moduleHead = (imports: string, base = 'base') => `${imports}
import { createNgrok } from 'fauxgate/ngrok'
import { testWithGateway } from 'fauxgate/testing'

${READ_INITIAL}
${testLine(base)}`

/** The name of the module with the fixture for TypeScript in Jest, without its extension. */
const FIXTURE = 'fauxgate.fixture'

/** Returns the module from which a project's tests import `test`, if Jest compiles the tests from TypeScript. */
export function fixtureFor({ hasTsJest }: ProjectFacts): readonly InitFile[] {
  if (!hasTsJest) return []
  const imports = [`{ readFileSync } from 'fs'`, `{ test as base } from '@jest/globals'`].map(
    (each) => `import ${each}`,
  )
  const text = moduleHead([...imports, `import 'fauxgate/jest'`].join('\n')).replace(
    '\nconst test',
    '\nexport const test',
  )
  return [
    {
      name: `${FIXTURE}.ts`,
      purpose: 'the `test` function of your tests, with a gateway for each test',
      text: `${text}\n`,
    },
  ]
}

/** Returns the beginning of a test file for Playwright, with the types that it cannot infer in a TypeScript project. */
const playwrightHead = (isTyped: boolean) => `${READ}
import { test as base, expect } from '@playwright/test'
import { ${isTyped ? 'type ManualClock, ' : ''}manualClock } from 'fauxgate'
import { createNgrok${isTyped ? ', type Ngrok' : ''} } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { assertStrict } from 'fauxgate/testing'

${READ_INITIAL}

// Each test has its own served gateway. A failing test shows its report, and a passing test must leave nothing unused.
const test = base.extend${isTyped ? '<{ gateway: Ngrok<ManualClock> }>' : ''}({
  gateway: async ({ browserName: _ }, use, testInfo) => {
    const clock = manualClock('2026-01-01T00:00:00Z')
    const gateway = createNgrok({ provisioningDelay: '${DELAY}', initial, clock, seed: testInfo.title })
    const server = await serve(gateway)
    await use(gateway)
    await server.close()
    if (testInfo.status === testInfo.expectedStatus) assertStrict(gateway)
    else console.log(gateway.report())
  },
})`

const HEADS: Readonly<Record<Kind, string>> = {
  vitest: `${READ}
import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
import { expect } from 'vitest'

${READ_INITIAL}
const test = testUsing((options) => createNgrok({ provisioningDelay: '${DELAY}', initial, ...options }))`,
  jest: `const { createNgrok } = require('fauxgate/ngrok')
const { testWithGateway } = require('fauxgate/testing')
const initial = require('./${INITIAL}')

${testLine('globalThis.test')}`,
  'jest module': moduleHead(`${READ}\nimport { expect, test as base } from '@jest/globals'`),
  'ts-jest': `import { expect } from '@jest/globals'\nimport { test } from './${FIXTURE}.js'`,
  bun: moduleHead(`${READ}\nimport { expect, test as base } from 'bun:test'`),
  deno: moduleHead(`import assert from 'node:assert/strict'\n${READ}`, 'Deno.test'),
  node: moduleHead(`import assert from 'node:assert/strict'\n${READ}\nimport { test as base } from 'node:test'`),
  playwright: playwrightHead(false),
  'typed playwright': playwrightHead(true),
}
