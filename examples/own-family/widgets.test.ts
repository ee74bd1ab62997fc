import { createGateway } from 'fauxgate'
import { testUsing } from 'fauxgate/vitest'
import { expect } from 'vitest'
import { widgets } from './widgets.ts'

const test = testUsing((options) => createGateway({ ...options, families: { widgets } }))

test('the direct API creates and lists widgets', ({ gateway }) => {
  const widget = gateway.widgets.create({ name: 'left' })
  expect(gateway.widgets.list({ filter: 'obj.name == "left"' }).widgets).toEqual([widget])
})

test('faults apply to HTTP requests, which fail with the errors of the family', async ({ gateway }) => {
  const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
  const create = (body: object) =>
    gateway.fetch(`${gateway.url}/widgets`, { method: 'POST', headers, body: JSON.stringify(body) })
  gateway.faults.add({ operation: 'widgets.create', status: 503, times: 1 })
  expect((await create({ name: 'right' })).status).toBe(503)
  expect((await create({ name: 'right' })).status).toBe(201)
  const rejected = await (await create({ name: 'right' })).json()
  expect(rejected.error_code).toBe('ERR_GATEWAY_95002')
})
