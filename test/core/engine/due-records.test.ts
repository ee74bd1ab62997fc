import { expect, test } from 'vitest'
import { createGateway, manualClock } from '../../../src/index.ts'
import * as kit from '../../../src/service/kit/index.ts'
import { widgetRecords, widgets } from '../../service/kit/widgets.ts'
import { collectCommits } from '../../support/gateway.ts'
import { NEW_YEAR } from '../../support/provisioning.ts'

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
    clock: manualClock(NEW_YEAR),
  })
}

test.each([
  [{ at: Number.NaN, order: 1 }, '{ at: NaN, order: 1 }'],
  [{ at: 1, order: Number.POSITIVE_INFINITY }, '{ at: 1, order: Infinity }'],
])('A record that is due at %j is refused, and nothing is written', (due, received) => {
  const gateway = open(due)
  const commits = collectCommits(gateway)
  expect(() => gateway.widgets.create({ name: 'a' })).toThrow(
    `The collection "widgets" has a record that is due at ${received}. Allowed: at in ms since 1970, and order from tx.nextOrder().`,
  )
  expect(commits).toEqual([])
})
