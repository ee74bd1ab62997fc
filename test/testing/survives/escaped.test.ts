import { expect, it } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { type Program, program } from './programs/client.ts'

const HOSTILE = 'x\u202e\u2028\u0085\u200e\u2066\u001b[31m'
const ESCAPED = 'x\\u202e\\u2028\\u0085\\u200e\\u2066\\u001b[31m'

const lost = program(async (call) => {
  const [{ id }] = (await call('GET', '/reserved_addrs')).reserved_addrs
  await call('PATCH', `/reserved_addrs/${id}`, { description: HOSTILE }).catch(() => undefined)
})

const racing = program(async (call) => {
  const { reserved_addrs } = await call('GET', '/reserved_addrs')
  if (reserved_addrs.length === 1) await call('POST', '/reserved_addrs', { description: HOSTILE })
})

const throwing = program(async (call) => {
  await call('GET', '/reserved_addrs')
  throw new Error(HOSTILE)
})

const named = program(async (call, { effect }) => {
  await effect(HOSTILE, () => call('POST', '/reserved_addrs', {}))
})

/** (rules: secrets#messages) */
it.each<[string, Program, SurvivesOptions]>([
  ['of a body', lost, { allow: () => true }],
  ['of a body in a story of copies', racing, { copies: 2 }],
  ['of an error', throwing, {}],
  ['of an effect', named, { restart: true, kinds: ['crash'] }],
])('A report escapes the control and direction characters %s', async (_name, code, options) => {
  const create: SurvivesOptions['create'] = (each) => createNgrok({ ...each, initial: { reservedAddrs: [{}] } })
  const { message, groups } = await expectSurvivalError(
    survives(code, { create, faults: options.copies ? 0 : 1, ...options }),
  )
  expect(message).toContain(ESCAPED)
  const texts = [message, ...groups.flatMap((group) => [group.message, group.story])]
  for (const sign of HOSTILE.slice(1, 7)) expect(texts.filter((text) => text.includes(sign))).toEqual([])
})
