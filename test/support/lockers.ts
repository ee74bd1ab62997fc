import * as v from 'valibot'
import * as kit from '../../src/service/kit/index.ts'

/** Returns a secret whose name says where it was planted. */
export const planted = (where: string) => `planted-${where}-4f9c`
const secretText = v.pipe(v.string(), kit.secret)

/** A secret in a field of every kind of schema. */
const secretFields = {
  pin: secretText,
  hint: v.exactOptional(secretText),
  codes: v.array(secretText),
  byName: v.record(v.string(), secretText),
  either: v.union([v.object({ word: secretText }), v.number()]),
  deep: v.nullable(v.object({ list: v.array(v.object({ word: secretText })) })),
  pair: v.tuple([v.string(), secretText]),
  later: v.lazy(() => v.object({ word: secretText })),
  checked: v.pipe(
    v.object({ word: secretText }),
    v.check(() => true),
  ),
}

/** A request body with a secret in each marked field. */
export const sent = {
  pin: planted('pin'),
  hint: planted('hint'),
  codes: [planted('codes')],
  byName: { first: planted('map') },
  either: { word: planted('union') },
  deep: { list: [{ word: planted('deep') }] },
  pair: ['open', planted('tuple')] as [string, string],
  later: { word: planted('lazy') },
  checked: { word: planted('pipe') },
}

const texts = { description: kit.description, metadata: kit.metadata }
const lockerRecords = kit.collection({
  name: 'lockers',
  schema: v.object({ ...kit.recordHead('lock', texts), ...secretFields }),
})

const lockerShape = kit.named(
  v.object(kit.resourceHead),
  'Locker',
  'A locker, of which no response shows the contents.',
)

/** A family of a test that says which fields are secret in its schemas only. */
export const lockers = kit.resource(
  {
    name: 'lockers',
    prefix: 'lock',
    what: 'locker',
    matching: {},
    errors: {},
    collection: lockerRecords,
    shape: lockerShape,
    // A request has no lazy schema, because no document could describe it.
    createBody: v.object({ ...texts, ...secretFields, later: v.object({ word: secretText }) }),
    updateBody: v.object({ ...texts, pin: v.optional(secretText) }),
  },
  {
    view: (each, wire) => kit.viewHead(each, wire, '/lockers'),
    create: { run: (tx, body) => tx.put(lockerRecords, { ...kit.newHead(tx, 'lock', body), ...body }) },
    update: { run: (tx, each, { pin = each.pin, ...rest }) => tx.put(lockerRecords, { ...each, ...rest, pin }) },
  },
)
