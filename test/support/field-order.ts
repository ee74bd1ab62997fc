import type { Gateway } from '../../src/index.ts'

/**
 * Lists the records whose fields differ in order from their schema, with both orders. A restored record has the schema's order,
 * so its snapshot would differ.
 */
export function listRecordsOutOfOrder(gateway: Gateway, empty: Gateway): string[] {
  const snapshot = gateway.snapshot()
  // The schemas read a snapshot from JSON. That of an object could be restored unchanged.
  empty.restore(JSON.parse(JSON.stringify(snapshot)))
  const restored = empty.snapshot().records
  return Object.entries(snapshot.records).flatMap(([collection, list]) =>
    list.flatMap((record, at) => {
      const made = Object.keys(record).join()
      const ordered = Object.keys(restored[collection]?.[at] ?? {}).join()
      return made === ordered
        ? []
        : [`${collection} are made as ${made}. Make them in the order of the schema: ${ordered}`]
    }),
  )
}
