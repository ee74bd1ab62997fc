import type * as v from 'valibot'
import type { Operation } from '../core/operation/operation.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import { MAX_DESCRIPTION_BYTES, MAX_METADATA_BYTES } from '../core/schema/schema.ts'
import { listExtraFields, partsOf } from '../core/schema/schema-parts.ts'
import { omit, pick } from '../core/schema/values.ts'
import type { ExampleBody, FamilyExample } from './example.ts'
import { FIELD_VALUES, withOtherNames } from './field-values.ts'
import { examplesOf, type Probe, probesOf } from './values.ts'

/** The maximum sizes, in bytes, of the strings that every family has. */
const LIMITS: Readonly<Record<string, number>> = { description: MAX_DESCRIPTION_BYTES, metadata: MAX_METADATA_BYTES }

export type Fields = Readonly<Record<string, v.GenericSchema>>

/** A body, with a note about what makes it special. */
export type NamedBody = readonly [what: string, body: object]

/** Returns the fields of the body of an operation in a dialect. */
export function fieldsOf({ name, body }: Operation, { extraFields }: CommonDialect): Fields {
  if (!body) return {}
  return omit(
    { ...partsOf(body).entries },
    listExtraFields(body).filter((field) => !extraFields[name]?.includes(field)),
  )
}

/** The bodies of a family: the fields in creations and changes, with a value for each. */
export interface Bodies {
  readonly fields: { readonly create: Fields; readonly update: Fields }
  readonly create: ExampleBody
  readonly second: ExampleBody
  readonly update: ExampleBody
  readonly values: FamilyExample['values']
  /** The fields that have their own PUT. It covers their parts. */
  readonly modules: readonly string[]
}

/** Returns the bodies of a family, given its example and its operations. */
export function bodiesOf(
  { values, second = { description: '{mark}-b' } }: FamilyExample,
  [create, update]: readonly [Operation, Operation],
  dialect: CommonDialect,
  modules: readonly string[],
): Bodies {
  const known = { ...FIELD_VALUES, ...values }
  const fields = { create: fieldsOf(create, dialect), update: fieldsOf(update, dialect) }
  const sent = (body: ExampleBody) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  return {
    fields,
    create: sent(examplesOf(fields.create, 0, known)),
    second: Object.fromEntries(Object.entries(second).filter(([name]) => Object.hasOwn(fields.create, name))),
    update: sent(examplesOf(fields.update, 1, known)),
    values: known,
    modules,
  }
}

/** Returns the probes of a field, without the probes of its parts if another operation covers them. */
function probesIn(
  field: string,
  schema: v.GenericSchema | undefined,
  value: unknown,
  { values = {}, modules }: Bodies,
) {
  if (!schema || value === undefined) return []
  const probes = probesOf(field, schema, value, values)
  return modules.includes(field) ? probes.filter(({ what }) => !what.includes(`${field}.`)) : probes
}

const isText = (field: string) => Object.hasOwn(LIMITS, field)
const textsIn = (fields: Fields) => Object.keys(fields).filter(isText)

/** Returns changes that set the strings to their extremes. */
export function extremeTexts(fields: Fields): NamedBody[] {
  const names = textsIn(fields)
  const all = (value: (field: string) => unknown) => Object.fromEntries(names.map((field) => [field, value(field)]))
  if (names.length === 0) return []
  return [
    ['null for its strings', all(() => null)],
    ['the longest texts', all((field) => 'x'.repeat(LIMITS[field] ?? 0))],
    ['empty texts', all(() => '')],
  ]
}

/** Returns true if a resource that is unexpectedly created can be found by its mark. */
function isMarked(body: object): boolean {
  return JSON.stringify(body).includes('{mark}')
}

/**
 * Returns bodies for additional creations in which one field is missing or has the wrong type. A field that cannot be changed has each of
 * its probe values. If a creation is accepted, its resource is deleted immediately.
 */
export function furtherCreations({ creations = {} }: FamilyExample, bodies: Bodies): NamedBody[] {
  const { create, fields } = bodies
  const base = withOtherNames(create)
  const own = Object.keys(base).filter((field) => !isText(field))
  const all: NamedBody[] = [
    ['an unknown field', { ...base, fauxgate_verify: 1 }],
    ...textsIn(fields.create).flatMap((field): NamedBody[] => [
      [`a ${field} of the wrong type`, { ...base, [field]: [5] }],
      [`a ${field} that is too long`, { ...base, [field]: `{mark}${'x'.repeat(5000)}` }],
    ]),
    ['an empty description alone', { ...base, description: '' }],
    ['null for all optional fields', { ...nulls(fields.create), ...bodies.second }],
    ...own
      .filter((field) => Object.hasOwn(bodies.second, field))
      .map((field): NamedBody => [`no ${field}`, omit({ ...base }, [field])]),
    ...own.flatMap((field) => {
      const probes = probesIn(field, fields.create[field], base[field], bodies)
      const isAsked = (each: Probe) => !Object.hasOwn(bodies.update, field) || isForCreations(each)
      return probes.filter(isAsked).map(({ what, value }): NamedBody => [what, { ...base, [field]: value }])
    }),
  ]
  return [...all, ...Object.entries(creations)].filter(([, body]) => isMarked(body))
}

/** Returns true for creation probes that changes cannot replace. */
const isForCreations = ({ what }: Probe) => /^\w+ of the wrong type$| alone$/.test(what)

function nulls(fields: Fields): ExampleBody {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, null]))
}

/** Returns changes to the first resource, after the change of every field. */
export function furtherChanges({ changes = {} }: FamilyExample, bodies: Bodies): NamedBody[] {
  const { create, update, fields } = bodies
  const texts = textsIn(fields.update)
  const own = Object.keys(fields.update).filter((field) => !isText(field))
  return [
    ...texts.slice(0, 1).map((field): NamedBody => {
      const capital = field.replace(/^./, (letter) => letter.toUpperCase())
      return [`a ${field} whose name has a capital`, { [capital]: 'x' }]
    }),
    ...texts.flatMap((field): NamedBody[] => [
      [`a ${field} of the wrong type`, { [field]: [5] }],
      // The string has as many characters as it may have bytes.
      [`a ${field} one byte too long`, { [field]: `${'x'.repeat((LIMITS[field] ?? 0) - 1)}é` }],
      field === texts[0]
        ? [`nothing but its ${field}`, { [field]: ' {mark}-again' }]
        : [
            `its ${field}, and null for the other strings`,
            { ...nulls(pick(fields.update, isText)), [field]: ' {mark}-again' },
          ],
    ]),
    ...own
      .filter((field) => Object.hasOwn(create, field))
      .map((field): NamedBody => [`nothing but its ${field}`, { [field]: create[field] }]),
    ...Object.entries(changes),
    ...Object.keys(create)
      .filter((field) => !Object.hasOwn(fields.update, field))
      .map((field): NamedBody => [`its ${field}, which only a creation has`, { [field]: create[field] }]),
    ...own.flatMap((field) => {
      const probes = probesIn(field, fields.update[field], update[field] ?? create[field], bodies)
      return probes.map(({ what, value }): NamedBody => [what, { [field]: value }])
    }),
  ]
}
