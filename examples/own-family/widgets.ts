// Adds a family of resources that fauxgate does not have. It gets typed calls, HTTP, lists, faults and snapshots.
import {
  collection,
  declareErrors,
  described,
  description,
  field,
  metadata,
  newHead,
  ofField,
  recordHead,
  refuse,
  resource,
  resourceHead,
  rule,
  viewHead,
} from 'fauxgate/kit'
import * as v from 'valibot'

// The errors. The service uses no numbers from 90000.
const errors = declareErrors({
  widget_name_invalid: field(95001, 400, 'lower-case letters'),
  widget_taken: ofField(95002, 409, '{received} is a widget already.'),
})

// A field of bodies and records, with a rule that names its error.
const name = v.pipe(
  v.string(),
  rule([errors.widget_name_invalid], (text, report) => {
    if (!/^[a-z]+$/.test(text)) report(errors.widget_name_invalid, {})
  }),
)

// The records. Snapshots are read by this schema.
const records = collection({
  name: 'widgets',
  schema: v.object({ ...recordHead('wid', { description, metadata }), name }),
  indexes: { name: (record) => record.name },
})

/** Pass it to `createGateway` as one of its families. */
export const widgets = resource(
  // The widgets: their names, their records, and the schemas of bodies and responses.
  {
    name: 'widgets',
    path: '/widgets',
    items: 'widgets',
    prefix: 'wid',
    what: 'widget',
    errors,
    collection: records,
    shape: v.object({ ...resourceHead, name: v.string() }),
    createBody: v.object({ name, description, metadata }),
    updateBody: v.object({ description, metadata }),
  },
  // Their operations. `view` makes a response of a record.
  {
    view: (record, wire) => ({ ...viewHead(record, wire, '/widgets'), name: record.name }),
    create: {
      errors: [errors.widget_taken],
      run(tx, { name, ...rest }) {
        if (tx.find(records, 'name', name)) refuse(errors.widget_taken, { field: 'name', received: `"${name}"` })
        return tx.put(records, { ...newHead(tx, 'wid', rest), name })
      },
    },
    update: {
      run: (tx, record, body) => tx.put(records, { ...record, ...described(body, record) }),
    },
  },
)
