import * as v from 'valibot'
import { type Collection, collection } from '../../../src/core/operation/collection.ts'

/** A record of the tests, with each kind of field that a collection can use. */
export interface Item {
  readonly id: string
  readonly color: string | null
  readonly tags: readonly string[]
  readonly due: { at: number; order: number } | null
}

export const items: Collection<Item> = collection<Item>({
  name: 'items',
  schema: v.custom<Item>(() => true),
  indexes: { color: (record) => record.color, tag: (record) => record.tags },
  due: (record) => record.due,
})
