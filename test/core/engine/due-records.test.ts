import { expect, test } from 'vitest'
import { createGateway, manualClock } from '../../../src/index.ts'
import * as kit from '../../../src/service/kit/index.ts'
import { type WidgetRecord, widgetRecords, widgets } from '../../service/kit/widgets.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { collectCommits } from '../../support/gateway.ts'
import { memoryStore } from '../../support/memory-store.ts'

const open = (due: { at: number; order: number }) => {
  const collection = { ...widgetRecords, due: () => due }
  const create = {
    ...widgets.operations.create,
    run: (tx: kit.Transaction) =>
      tx.put(collection, {
        ...kit.newHead(tx, 'wid'),
        name: 'a',
        size: 1,
        token: '',
        locked: false,
        due,
      }),
  }
  return createGateway({
    families: { widgets: { ...widgets, collections: [collection], operations: { ...widgets.operations, create } } },
    clock: manualClock(CLOCK_START),
  })
}

test.each([
  [{ at: Number.NaN, order: 1 }, '{ at: NaN, order: 1 }'],
  [{ at: 1, order: Number.POSITIVE_INFINITY }, '{ at: 1, order: Infinity }'],
])('A record that is due at %j is rejected, and nothing is written', (due, received) => {
  const gateway = open(due)
  const commits = collectCommits(gateway)
  expect(() => gateway.widgets.create({ name: 'a' })).toThrow(
    `The collection "widgets" has a record that is due at ${received}. Allowed: at in epoch ms, and order from tx.nextOrder().`,
  )
  expect(commits).toEqual([])
})

test('A record that is changed and then removed in one move is removed from the store', () => {
  const onDue = (tx: kit.Transaction, record: object) => {
    const widget = record as WidgetRecord // The family has no other records.
    if (widget.size === 1)
      tx.put(widgetRecords, { ...widget, size: 2, due: { at: tx.now + 1000, order: tx.nextOrder() } })
    else tx.remove(widgetRecords, widget)
  }
  const store = memoryStore()
  const families = { widgets: { ...widgets, onDue } }
  const gateway = createGateway({ families, store, clock: manualClock(CLOCK_START) })
  const { id } = gateway.widgets.create({ name: 'left', token: 'any' })
  gateway.clock.advance('1h')
  expect(store.commits.at(-1)?.changes).toEqual([{ collection: 'widgets', key: id, after: null }])
  gateway.dispose()
  expect(createGateway({ families, store, clock: manualClock(CLOCK_START) }).widgets.list().widgets).toEqual([])
})

test('A change of one record alone, by a direct call at the same time, is in the store', () => {
  const store = memoryStore()
  const gateway = createGateway({ store, clock: manualClock(CLOCK_START) })
  const { id } = gateway.reservedAddrs.create()
  gateway.reservedAddrs.update(id, { description: 'changed' })
  expect(store.commits.at(-1)?.changes).toMatchObject([{ key: id, after: { description: 'changed' } }])
})
