import { expect, test } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { recordsOutOfOrder } from '../support/field-order.ts'
import { furnished, furnishedOptions } from '../support/furnished.ts'

test('A record is made with its fields in the order of its schema, so that a restored snapshot is the same text', async () => {
  expect(recordsOutOfOrder(await furnished(), createGateway(furnishedOptions()))).toEqual([])
})
