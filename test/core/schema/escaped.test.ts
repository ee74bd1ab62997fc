import { expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { exchange } from '../../support/exchange.ts'

const SIGNS = '\u0007\u001b[31m\u009b31m\u202e\u2066\u200f'
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these characters
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

test('Messages and reports escape characters that control a terminal (rules: errors#body)', async () => {
  const gateway = createGateway({ seed: 'signs' })
  const body = JSON.stringify({ region: SIGNS, [`field ${SIGNS}`]: 1 })
  const { body: answer } = exchange(gateway, { body })
  exchange(gateway, { url: `/reserved_addrs/${SIGNS}`, method: 'GET' })
  const { msg, details } = JSON.parse(answer ?? '')
  for (const text of [msg, JSON.stringify(details), gateway.report()]) {
    expect(text).not.toMatch(RAW)
    expect(text).toMatch(/\\u/)
  }
  expect(gateway.report()).toContain('\\u202e')
})
