import { expect, test } from 'vitest'
import { formatTrace } from '../../src/traffic/trace-text.ts'
import { createVisited, policyOf } from './visits.ts'

test('A trace has the values of calls that read a header, a parameter or a cookie, without secrets', async () => {
  const conditions = [
    "getReqHeader('x-plan')[0] == 'pro'",
    "getQueryParam('page') == ['2'] && getQueryParam('token')[0] == 'hidden-1'",
    "getReqHeader('authorization')[0] == 'Bearer hidden-2' && getReqCookie('session').value == 'hidden-3'",
    "getReqHeader('x-none').exists(each, getReqHeader(each) == [])",
  ]
  const { gateway, visit } = createVisited(policyOf('deny', {}, 'on_http_request', conditions))
  const headers = { 'x-plan': 'pro', authorization: 'Bearer hidden-2', cookie: 'session=hidden-3' }
  await visit('/?page=2&token=hidden-1', { headers })
  const { trace = [] } = gateway.traffic.last() ?? {}
  const values = trace.flatMap((each) => ('expressions' in each ? each.expressions.map((one) => one.values) : []))
  expect(values).toEqual([
    { "getReqHeader('x-plan')": ['pro'] },
    { "getQueryParam('page')": ['2'], "getQueryParam('token')": '[redacted]' },
    { "getReqHeader('authorization')": '[redacted]', "getReqCookie('session')": '[redacted]' },
    { "getReqHeader('x-none')": [] },
  ])
  expect(formatTrace({ trace, status: 403 })).toContain(`${conditions[0]} is true (getReqHeader('x-plan') = ["pro"])`)
  expect(JSON.stringify(trace)).not.toContain('hidden')
})

test('A trace has no value of a cookie that is absent', async () => {
  const { gateway, visit } = createVisited(
    policyOf('deny', {}, 'on_http_request', ["getReqCookie('none').value == ''"]),
  )
  await visit('/')
  const [rule] = gateway.traffic.last()?.trace.flatMap((each) => ('expressions' in each ? each.expressions : [])) ?? []
  expect(rule?.values).toEqual({})
  expect(rule?.error).toBeDefined()
})

test('A trace shows that a header with a secret name is absent', async () => {
  const conditions = ["getReqHeader('authorization') == []", "getReqHeader('x-api-key') != ['hidden']"]
  const { gateway, visit } = createVisited(policyOf('deny', {}, 'on_http_request', conditions))
  await visit('/', { headers: { 'x-api-key': 'hidden-1' } })
  const { trace = [] } = gateway.traffic.last() ?? {}
  expect(trace.flatMap((each) => ('expressions' in each ? each.expressions : [])).map(({ values }) => values)).toEqual([
    { "getReqHeader('authorization')": [] },
    { "getReqHeader('x-api-key')": '[redacted]' },
  ])
})

test('A trace has a header with the name of a prototype', async () => {
  const { gateway, visit } = createVisited()
  await visit('/', { headers: [['__proto__', 'a']] })
  const steps = gateway.traffic.last()?.trace.flatMap((each) => ('step' in each ? (each.request ?? []) : [])) ?? []
  expect(steps.map(({ headers }) => Object.entries(headers))).toEqual([
    expect.arrayContaining([
      ['__proto__', 'a'],
      ['x-forwarded-proto', 'https'],
    ]),
  ])
})
