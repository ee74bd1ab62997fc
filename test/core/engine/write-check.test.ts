import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import * as kit from '../../../src/service/kit/index.ts'
import { memoryStore } from '../../support/memory-store.ts'

const SWITCH = Symbol.for('fauxgate.checksWrites')

/** Makes a family whose records have the `size`, and the `key` of its collection, that the caller passes. */
function createNotes(size: unknown, key = 'n') {
  const schema = v.object({
    size: v.pipe(v.number('a number'), v.multipleOf(2, 'an even number')),
    secret: v.pipe(v.string(), kit.secret),
  })
  const records = kit.collection({ name: 'notes', key: () => key, schema })
  const add = kit.operation({
    name: 'notes.add',
    method: 'POST',
    path: '/notes',
    status: 204,
    summary: 'Add a note',
    ids: {},
    // The wrong value that this test is about.
    run: (tx) => void tx.put(records, { size: size as number, secret: 'hidden' }),
  })
  return { notes: kit.familyOf({ operations: { add }, errors: {}, collections: [records] }) }
}

// rules: stores#damage
describe('A record that its own schema does not take', () => {
  it.each([
    [3, 'size is 3. Allowed: an even number.'],
    [undefined, 'size is missing. It is required.'],
    ['2', 'size is "2". Allowed: a number.'],
  ])(
    'fails the call that writes it in the tests of fauxgate, and the error names family, field and value: %j',
    (size, problem) => {
      const store = memoryStore()
      const gateway = createGateway({ families: createNotes(size), store })
      expect(() => gateway.notes.add()).toThrow(
        new TypeError(`notes wrote a record that cannot be read back from a store: ${problem}`),
      )
      expect(gateway.snapshot().records.notes).toEqual([])
      expect(store.commits).toHaveLength(1)
      createGateway({ families: createNotes(2), store: memoryStore(store.commits) }).notes.add()
    },
  )

  it('is not looked for in the gateways of users, since it takes time', () => {
    Reflect.deleteProperty(globalThis, SWITCH)
    onTestFinished(() => void Reflect.set(globalThis, SWITCH, true))
    createGateway({ families: createNotes(3) }).notes.add()
  })
})
