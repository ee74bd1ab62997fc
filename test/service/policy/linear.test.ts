import '../../support/steps.ts' // First: it counts what is loaded after it.

import { expect, test } from 'vitest'
import { checkPolicy } from '../../../src/gateway/ngrok.ts'
import { measureGrowth } from '../../support/steps.ts'

/** A policy whose rules all depend on values that a request may lack. */
function createPolicy(rules: number) {
  const expressionOf = (rule: number) =>
    Array.from({ length: 10 }, (_, at) => `getReqHeader('x-${rule}-${at}')[0] != 'a'`).join(' && ')
  const on_http_request = Array.from({ length: rules }, (_, rule) => ({
    expressions: [expressionOf(rule)],
    actions: [{ type: 'deny' }],
  }))
  return JSON.stringify({ on_http_request })
}

test('Twice the rules take at most twice the steps of a check, warnings included', async () => {
  const twice = await measureGrowth((rules) => checkPolicy(createPolicy(rules)), 300)
  expect(twice).toBeLessThan(2.3)
})

test('Twice the variables of a set-vars action take at most twice the steps of a check', async () => {
  const createVars = (count: number) => {
    const vars = Array.from({ length: count }, (_, at) => ({ [`v${at}`]: '${1}' }))
    return JSON.stringify({ on_http_request: [{ actions: [{ type: 'set-vars', config: { vars } }] }] })
  }
  expect(await measureGrowth((count) => checkPolicy(createVars(count)), 200)).toBeLessThan(2.3)
})

test('The check of a string with 50,000 interpolations ends in time', () => {
  const config = { headers: { 'x-a': '${conn.client_ip}'.repeat(50_000) } }
  const problems = checkPolicy(JSON.stringify({ on_http_request: [{ actions: [{ type: 'add-headers', config }] }] }))
  expect(problems.map(({ number }) => number)).toEqual([2236])
})
