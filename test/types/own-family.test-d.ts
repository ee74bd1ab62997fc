import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock } from '../../src/index.ts'
import { collection, declareErrors, entry, familyOf, ofField, operation, refuse } from '../../src/service/kit/index.ts'
import type {} from '../../src/testing/vitest.ts'
import { widgets } from '../service/kit/widgets.ts'

const gateway = createGateway({ families: { widgets }, clock: manualClock(0) })

describe('A family of a test', () => {
  test('has the types of its schemas', () => {
    expectTypeOf(gateway.widgets.create).toBeCallableWith({ name: 'left', size: 2 })
    expectTypeOf(gateway.widgets.get('wid_1').size).toEqualTypeOf<number>()
    expectTypeOf(gateway.widgets.list().widgets[0]?.locked).toEqualTypeOf<boolean | undefined>()
    expectTypeOf(gateway.widgets.unlock).parameters.toEqualTypeOf<[id: string]>()
    expectTypeOf(gateway.declare.brokenWidget({ name: 'left' }).locked).toEqualTypeOf<boolean>()
    // @ts-expect-error: a declared widget has a name
    gateway.declare.brokenWidget({})
    // @ts-expect-error: there is no such field
    gateway.widgets.create({ name: 'left', wheels: 4 })
    // @ts-expect-error: a size is a number
    gateway.widgets.create({ name: 'left', size: 'large' })
  })

  test('fills each slot of a message', () => {
    const errors = declareErrors({
      pass_active: entry(95012, 409, 'The guest pass {id} is active until {day}.'),
      pass_taken: ofField(95013, 409, '{field} is {received}, the guest pass {id}.'),
    })
    expectTypeOf(refuse<{ id: string | number; day: string | number }>).toBeCallableWith(errors.pass_active, {
      id: 'pass_1',
      day: 3,
    })
    // @ts-expect-error: the slot "day" has no value
    const unfilled = () => refuse(errors.pass_active, { id: 'pass_1' })
    // @ts-expect-error: an error of a field names the field and the received value
    const withoutField = () => refuse(errors.pass_taken, { id: 'pass_1' })
    expectTypeOf([unfilled, withoutField]).items.returns.toBeNever()
  })

  test('needs a key for records without an id', () => {
    const schema = v.object({ label: v.string() })
    expectTypeOf(collection({ name: 'labels', schema, key: ({ label }) => label }).key).parameters.toEqualTypeOf<
      [{ label: string }]
    >()
    // @ts-expect-error: these records have no id
    collection({ name: 'labels', schema })
  })

  test('is added to the built-in families and members', () => {
    expectTypeOf(gateway).toExtend<Gateway>()
    expectTypeOf(gateway.reservedAddrs.create).toBeCallableWith({ region: 'eu' })
    expectTypeOf(gateway.clock.advance).toBeCallableWith('1m')
    // @ts-expect-error: this gateway has no such family
    createGateway().widgets
  })

  test('adds its names to those that faults and the journal accept', () => {
    expectTypeOf(gateway.faults.add).toBeCallableWith({ operation: 'widgets.create', error: 'widget_taken' })
    expectTypeOf(gateway.faults.add).toBeCallableWith({ operation: 'reserved_domains.create', error: 'domain_taken' })
    expectTypeOf(gateway.requests.count).toBeCallableWith({ operation: 'widgets.list' })
    // @ts-expect-error: there is no such operation
    gateway.faults.add({ operation: 'widgets.paint' })
    // @ts-expect-error: there is no such error
    gateway.faults.add({ operation: 'widgets.create', error: 'widget_painted' })
    // @ts-expect-error: there is no such operation
    gateway.requests.count({ operation: 'widgets.paint' })
  })

  test('adds its operations and errors to those that the matchers accept', () => {
    expectTypeOf(expect(gateway).toHaveBeenRequested).toBeCallableWith('widgets.create', { times: 1 })
    expectTypeOf(expect(gateway).toHaveBeenRequested).toBeCallableWith('reserved_domains.create')
    // @ts-expect-error: there is no such operation
    expect(gateway).toHaveBeenRequested('widgets.paint')
    // @ts-expect-error: this gateway has no such family
    expect(createGateway()).toHaveBeenRequested('widgets.create')
    expectTypeOf(expect(new Error('…')).toBeGatewayError).toBeCallableWith('widget_taken')
  })

  test('has a limit by its name, in addition to the built-in limits', () => {
    createGateway({
      families: { widgets },
      account: { limits: { widgets: 3, reserved_domains: { max: 1, window: '1h' } } },
    })
    // @ts-expect-error: there is no such limit
    createGateway({ families: { widgets }, account: { limits: { gadgets: 3 } } })
    // @ts-expect-error: there is no such plan
    createGateway({ families: { widgets }, account: { plan: 'pro' } })
    createNgrok({ account: { plan: 'free', limits: { api_keys: [3, { max: 1, window: 1000 }], acl: 1 } } })
    // @ts-expect-error: there is no such limit
    createNgrok({ account: { limits: { api_key: 3 } } })
    const { apiKeys } = ngrokFamilies
    createGateway({ families: { apiKeys }, account: { limits: { api_keys: 3 } } })
    // @ts-expect-error: only further families have this limit
    createGateway({ account: { limits: { api_keys: 3 } } })
  })

  test('can be an initial resource', () => {
    createGateway({ families: { widgets }, initial: { widgets: [{ name: 'first' }], reservedAddrs: [{}] } })
    // @ts-expect-error: a widget has a name
    createGateway({ families: { widgets }, initial: { widgets: [{}] } })
    // @ts-expect-error: there is no such family
    createGateway({ families: { widgets }, initial: { gadgets: [] } })
  })

  test('can consist of single operations', () => {
    const echo = familyOf({
      operations: {
        get: operation({
          name: 'echo.get',
          method: 'GET',
          path: '/echo',
          status: 200,
          summary: 'Says the time',
          ids: {},
          run: (tx) => ({ now: tx.now }),
        }),
      },
      collections: [],
      errors: {},
    })
    expectTypeOf(createGateway({ families: { echo } }).echo.get().now).toEqualTypeOf<number>()
  })
})
