import { DELAY, firstTest, INITIAL, type InitFile, type ProjectFacts, type TestRunner } from './init-test.ts'
import { jestConfigFor } from './jest-config.ts'

/** Returns the files for a test runner. The last file is the test. */
export function initFilesFor(runner: TestRunner, facts: ProjectFacts): readonly InitFile[] {
  const config = { dialect: 'ngrok', port: 4747, initial: INITIAL, provisioningDelay: DELAY }
  const initial = {
    reservedDomains: [{ domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }],
    reservedAddrs: [{ region: 'eu', description: 'for the staging gate' }],
  }
  return [
    { name: 'fauxgate.config.json', purpose: 'the options of "fauxgate serve"', text: json(config) },
    { name: INITIAL, purpose: 'what exists from the beginning', text: json(initial) },
    ...(runner === 'jest' ? jestConfigFor(facts) : []),
    { name: testName(runner, facts), purpose: 'a first test', text: firstTest(runner, facts) },
  ]
}

/** Returns the command that runs the first test. */
export function commandOf(runner: TestRunner, facts: ProjectFacts): string {
  const test = testName(runner, facts)
  const commands: Readonly<Record<TestRunner, string>> = {
    vitest: `npx vitest run ${test}`,
    jest: `${facts.isModule ? 'NODE_OPTIONS=--experimental-vm-modules ' : ''}npx jest ${test}`,
    playwright: `npx playwright test ${test}`,
    bun: `bun test ${test}`,
    deno: `deno test --allow-read --allow-env ${test}`,
    node: `node --test ${test}`,
  }
  return commands[runner]
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function testName(runner: TestRunner, { isModule, isTyped, hasTsJest }: ProjectFacts): string {
  if (runner === 'jest') return `fauxgate.test.${hasTsJest ? 'ts' : 'js'}`
  return `fauxgate.test.${runner === 'vitest' && isTyped ? 'ts' : isModule ? 'js' : 'mjs'}`
}
