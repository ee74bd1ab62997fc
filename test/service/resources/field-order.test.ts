import { expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { listRecordsOutOfOrder } from '../../support/field-order.ts'
import { createFullGateway, fullGatewayOptions } from '../../support/full-gateway.ts'

test('A record is created with its fields in the order of its schema, so that a restored snapshot is the same text', async () => {
  expect(listRecordsOutOfOrder(await createFullGateway(), createGateway(fullGatewayOptions()))).toEqual([])
})
