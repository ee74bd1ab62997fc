import { describe, expect, test } from 'vitest'
import { checkPolicy, createNgrok } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { createVisited, policyOf, URL_OF_APP } from '../../traffic/visits.ts'

/** Writes an expression of a number of levels, or of the operands of a chain. */
type Write = (levels: number) => string

const NESTED: readonly (readonly [operator: string, Write])[] = [
  ['!', (levels) => `${'!'.repeat(levels - 1)}true`],
  ['-', (levels) => `${'-'.repeat(levels - 2)}1 == 1`],
  ['+', (levels) => `1${' + 1'.repeat(levels - 2)} > 0`],
  ['()', (levels) => `${'('.repeat(levels - 1)}true${')'.repeat(levels - 1)}`],
  ['?:', (levels) => `${'false ? true : '.repeat(levels - 2)}true`],
  ['[]', (levels) => `${'['.repeat(levels - 2)}1${']'.repeat(levels - 2)}.size() == 1`],
]
const CHAINED: readonly (readonly [operator: string, Write])[] = [
  ['&&', (operands) => `true${' && true'.repeat(operands - 1)}`],
  ['||', (operands) => `false${' || false'.repeat(operands - 2)} || true`],
]

const check = (expression: string) =>
  checkPolicy(policyOf('deny', {}, 'on_http_request', [expression])).filter(({ severity }) => severity === 'error')

/** Calls a function below many others, which leave it less of the stack. */
const callDeep = <T>(run: () => T, calls = 3000): T => (calls === 0 ? run() : callDeep(run, calls - 1))

describe('The depth of an expression is at most 250 levels, whatever the stack (rules: traffic-policy#expressions)', () => {
  test.each(NESTED)('%s', async (_, write) => {
    const { gateway, visit } = createVisited(policyOf('deny', {}, 'on_http_request', [write(249)]))
    // The first time, the code is not optimized.
    for (let count = 0; count < 2; count++) {
      await visit()
      expect(JSON.stringify(gateway.traffic.last()?.trace)).not.toContain('"error"')
    }
    for (const levels of [249, 252, 4000]) {
      const messages = check(write(levels)).map(({ message }) => message)
      const expected = levels > 250 ? [expect.stringContaining('is nested deeper than 250 levels. Received: ')] : []
      expect([messages, callDeep(() => check(write(levels)).length)]).toEqual([expected, expected.length])
    }
  })

  test.each(CHAINED)('but a chain of %s has up to 1,000 operands', async (_, write) => {
    const { visit } = createVisited(policyOf('deny', {}, 'on_http_request', [write(1000)]))
    expect((await visit()).status).toBe(403)
    expect(callDeep(() => check(write(1000)))).toEqual([])
    expect(check(write(1001))).toMatchObject([{ message: expect.stringContaining('has more than 1000 operands') }])
  })

  test.each([...NESTED, ...CHAINED])('and is checked when a policy without a check runs: %s', async (_, write) => {
    const { gateway } = createVisited(policyOf('deny', {}, 'on_http_request', ["'x' == 'y'"]))
    const snapshot = JSON.stringify(gateway.snapshot()).replaceAll("'x' == 'y'", write(6000))
    const restored = createNgrok({ clock: manualClock(CLOCK_START) })
    restored.restore(JSON.parse(snapshot))
    restored.traffic.upstream(URL_OF_APP, () => new Response('upstream'))
    await restored.traffic.fetch(`${URL_OF_APP}/`)
    expect(JSON.stringify(restored.traffic.last()?.trace)).toContain('Exceeded max')
  })
})
