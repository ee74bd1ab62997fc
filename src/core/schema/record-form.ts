import type * as v from 'valibot'
import { documentationOf, isSchema, marksOf, partsOf } from './documentation.ts'
import { REDACTED } from './secret-texts.ts'
import { deepFreeze, isObject } from './values.ts'

interface FormOptions {
  readonly withSecrets: boolean
}

type Form = (value: unknown) => unknown

/**
 * Makes the function that returns the form of a record outside of the gateway, as the marks in its schema say: without derived
 * fields and, unless `withSecrets` is true, without secrets. It returns null for a record with a value that no JSON can express.
 */
export function createRecordForm(schema: v.GenericSchema, options: FormOptions): (record: object) => object | null {
  const form = createForm(schema, options)
  const { entries = {} } = partsOf(schema)
  const inexpressible = Object.keys(entries).filter((name) => isNoData(entries[name]))
  return (record) => {
    if (inexpressible.some((name) => Reflect.get(record, name) !== undefined)) return null
    return form ? (deepFreeze(form(record)) as object) : record // A form of an object is an object.
  }
}

function isNoData(schema: v.GenericSchema | undefined): boolean {
  return schema !== undefined && documentationOf(schema).facts.some((each) => each.isNoData)
}

/** Makes the form of the values of a schema; undefined if it leaves all values unchanged. */
function createForm(schema: v.GenericSchema, options: FormOptions): Form | undefined {
  if (!options.withSecrets && marksOf(schema).secret) return (value) => value && REDACTED
  const { wrapped, getter, entries, rest, item, value, items = [], options: choices = [], pipe = [] } = partsOf(schema)
  if (getter) return (each) => createForm(getter(each), options)?.(each) ?? each
  // The forms of all alternatives apply: to hide too much does no harm.
  const whole = [wrapped, ...choices, ...pipe.slice(1)].filter(isSchema).map((each) => createForm(each, options))
  const inner = [item, value, rest, ...items].filter(isSchema).map((each) => createForm(each, options))
  const forms = [...whole, entries && createFieldsForm(entries, options), createItemsForm(inner.filter(isForm))]
  return combine(forms.filter(isForm))
}

function isForm(form: Form | undefined): form is Form {
  return form !== undefined
}

function combine(forms: readonly Form[]): Form | undefined {
  return forms.length === 0 ? undefined : (value) => forms.reduce((each, form) => form(each), value)
}

/** Makes the form of lists and maps, of which every item has these forms. */
function createItemsForm(forms: readonly Form[]): Form | undefined {
  const form = combine(forms)
  return (
    form &&
    ((value) => {
      if (Array.isArray(value)) return value.map(form)
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, form(each)]))
        : value
    })
  )
}

function createFieldsForm(entries: Readonly<Record<string, v.GenericSchema>>, options: FormOptions): Form | undefined {
  const omitted = new Set(Object.keys(entries).filter((name) => isOmitted(entries[name], options)))
  const forms = new Map(Object.entries(entries).map(([name, entry]) => [name, createForm(entry, options)]))
  if (omitted.size === 0 && ![...forms.values()].some(isForm)) return undefined
  return (value) => {
    if (!isObject(value)) return value
    const kept = Object.entries(value).filter(([name]) => !omitted.has(name))
    return Object.fromEntries(kept.map(([name, each]) => [name, forms.get(name)?.(each) ?? each]))
  }
}

function isOmitted(schema: v.GenericSchema | undefined, { withSecrets }: FormOptions): boolean {
  if (!schema) return false
  const { secret, isDerived } = marksOf(schema)
  return isDerived === true || (!withSecrets && secret === true && isOptional(schema))
}

/** Returns whether the schema accepts an object without the field, and then gives it no value. */
function isOptional(schema: v.GenericSchema): boolean {
  const { type, wrapped, default: value } = partsOf(schema)
  if (type === 'exact_optional' || type === 'optional' || type === 'nullish') return value === undefined
  return type === 'nullable' && wrapped !== undefined && isOptional(wrapped)
}
