import * as v from 'valibot'
import type { FieldFacts } from '../../../src/core/schema/errors.ts'
import * as kit from '../../../src/service/kit/index.ts'

export const errors = kit.declareErrors({
  widget_name_invalid: kit.field(95001, 400, 'lower-case letters'),
  widget_size_out_of_range: kit.field(95002, 422),
  widget_taken: kit.ofField(
    95003,
    409,
    (facts: FieldFacts & { id: string }) => `${facts.received} is a widget already: ${facts.id}.`,
  ),
  domain_of_widget: kit.entry(95005, 400, 'A widget has the name of {domain}.'),
  widget_locked: kit.entry(95004, 423, '{id} is locked.'),
})

const name = v.pipe(
  v.string(),
  kit.rule([errors.widget_name_invalid], (text, report) => {
    if (!/^[a-z]+$/.test(text)) report(errors.widget_name_invalid, {})
  }),
)

const size = v.pipe(kit.integerFrom(1, 10), kit.refusedAs(errors.widget_size_out_of_range))

const record = v.object({
  ...kit.recordHead('wid', { description: kit.description, metadata: kit.metadata }),
  name,
  size,
  token: v.pipe(v.string(), kit.secret),
  locked: v.boolean(),
  due: v.nullable(v.object({ at: kit.dueTime, order: v.number() })),
})

export type WidgetRecord = kit.Frozen<v.InferOutput<typeof record>>

export const widgetRecords = kit.collection<WidgetRecord>({
  name: 'widgets',
  schema: record,
  indexes: { name: (each) => each.name },
  due: (each) => each.due,
})

const shape = kit.named(
  v.object({
    ...kit.resourceHead,
    name: kit.documented(v.string(), 'What the widget is called.'),
    size: kit.documented(v.number(), 'How large it is.'),
    locked: kit.documented(v.boolean(), 'Whether it can no longer be deleted.'),
  }),
  'Widget',
  'A thing of the test.',
)

const view: kit.View<WidgetRecord, kit.Frozen<v.InferOutput<typeof shape>>> = (each, wire) => ({
  ...kit.viewHead(each, wire, '/widgets'),
  name: each.name,
  size: each.size,
  locked: each.locked,
})

const createBody = v.object({
  name: kit.documented(name, 'What the widget is called.'),
  size: v.optional(kit.documented(size, 'How large it is.'), 1),
  token: v.optional(v.pipe(v.string(), kit.secret), ''),
  colour: kit.extra(v.optional(v.string())),
  description: kit.description,
  metadata: kit.metadata,
})

const updateBody = v.object({ size: v.optional(size), description: kit.description, metadata: kit.metadata })

const brokenWidget = kit.declaration({
  schema: v.object({ name: kit.documented(name, 'What the widget is called.') }),
  response: shape,
  run(tx, { name }) {
    const record = { ...kit.newHead(tx, 'wid'), name, size: 1, token: '', locked: true, due: null }
    return tx.show(view, tx.put(widgetRecords, record))
  },
  end: {
    prefix: 'wid',
    run(tx, id) {
      const widget = tx.get(widgetRecords, id)
      if (widget) tx.remove(widgetRecords, widget)
      return widget !== undefined
    },
  },
})

/** A family that only tests have, built with the kit. */
export const widgets = kit.resource(
  {
    name: 'widgets',
    prefix: 'wid',
    what: 'widget',
    declares: { brokenWidget },
    matching: { name: 'name', size: 'size' },
    errors,
    collection: widgetRecords,
    shape,
    createBody,
    updateBody,
    more: {
      unlock: kit.operation({
        name: 'widgets.unlock',
        method: 'POST',
        path: '/widgets/{id}/unlock',
        status: 200,
        summary: 'Unlock a widget',
        ids: { id: 'wid' },
        errors: [kit.general.not_found],
        response: shape,
        run: (tx, { id }) =>
          tx.show(view, tx.put(widgetRecords, { ...kit.required(tx, widgetRecords, id, 'widget'), locked: false })),
      }),
    },
  },
  {
    view,
    create: {
      errors: [errors.widget_taken],
      run(tx, { name, size, token, ...rest }) {
        const existing = tx.find(widgetRecords, 'name', name)
        if (existing) kit.refuse(errors.widget_taken, { field: 'name', received: `"${name}"`, id: existing.id })
        const { due } = kit.schedule(tx, tx.now + 60_000)
        return tx.put(widgetRecords, { ...kit.newHead(tx, 'wid', rest), name, size, token, locked: false, due })
      },
    },
    update: {
      run: (tx, each, { size = each.size, ...rest }) =>
        tx.put(widgetRecords, { ...each, ...kit.described(rest, each), size }),
    },
    delete: {
      errors: [errors.widget_locked],
      before(_tx, { id, locked }) {
        if (locked) kit.refuse(errors.widget_locked, { id })
      },
    },
    onDue: (tx, each) => tx.put(widgetRecords, { ...each, locked: true, due: null }),
    before: {
      'reserved_domains.delete': {
        errors: [errors.domain_of_widget],
        run(tx, { id = '' }) {
          const domain = tx.get(kit.domains, id)?.domain ?? ''
          if (tx.findAll(widgetRecords, 'name', domain.split('.')[0] ?? '').length > 0)
            kit.refuse(errors.domain_of_widget, { domain })
        },
      },
    },
    relations({ id, name }, others, report) {
      if (others.find(widgetRecords, 'name', name)?.id !== id) report(['name'], name, 'a name that no other one has')
    },
  },
)
