import type * as v from 'valibot'
import { documentationOf } from './documentation.ts'
import { isSchema, marksOf, partsOf } from './schema-parts.ts'
import { REDACTED } from './secret-texts.ts'
import { deepFreeze, isObject, mapValues, pick } from './values.ts'

interface FormOptions {
  readonly withSecrets: boolean
  /** False to omit values that depend on time, chance, or call order. */
  readonly withMade: boolean
}

type Form = (value: unknown) => unknown

/**
 * Creates the function that returns the form of a record outside the gateway, according to the marks in its schema: without derived fields
 * and, depending on the options, without secrets and generated values. It returns null for a record with a value that JSON cannot express.
 */
export function createRecordForm(schema: v.GenericSchema, options: FormOptions): (record: object) => object | null {
  const form = createForm(schema, options)
  const { entries = {} } = partsOf(schema)
  const inexpressible = Object.keys(entries).filter((name) => isNoData(entries[name]))
  return (record) => {
    if (inexpressible.some((name) => Reflect.get(record, name) !== undefined)) return null
    return form ? (deepFreeze(form(record)) as object) : record // An object's form is an object.
  }
}

function isNoData(schema: v.GenericSchema | undefined): boolean {
  return schema !== undefined && documentationOf(schema).facts.some((each) => each.isNoData)
}

/** Creates the form of a schema's values. Returns undefined if it leaves all values unchanged. */
function createForm(schema: v.GenericSchema, options: FormOptions): Form | undefined {
  const { secret, shownAs } = options.withSecrets ? {} : marksOf(schema)
  if (secret) return (value) => value && REDACTED
  if (shownAs) return shownAs
  const { wrapped, getter, entries, rest, item, value, items = [], options: choices = [], pipe = [] } = partsOf(schema)
  if (getter) return (each) => createForm(getter(each), options)?.(each) ?? each
  // The forms of all alternatives apply: hiding too much is harmless.
  const whole = [wrapped, ...choices, ...pipe.slice(1)].filter(isSchema).map((each) => createForm(each, options))
  const [each, beyond] = [item ?? value, rest].map((inner) =>
    isSchema(inner) ? createForm(inner, options) : undefined,
  )
  const ofItems = items.map((inner) => createForm(inner, options))
  const ofFields = entries && createFieldsForm(entries, options)
  return combine([...whole, ofFields, createItemsForm(each), createItemsForm(beyond, ofItems)])
}

function isForm(form: Form | undefined): form is Form {
  return form !== undefined
}

function combine(candidates: readonly (Form | undefined)[]): Form | undefined {
  const forms = candidates.filter(isForm)
  return forms.length === 0 ? undefined : (value) => forms.reduce((each, form) => form(each), value)
}

/** Creates the form of lists and maps from the form of a list's first items and the form of all other items. */
function createItemsForm(others: Form | undefined, first: readonly (Form | undefined)[] = []): Form | undefined {
  if (!others && !first.some(isForm)) return undefined
  const change = (value: unknown, index: number) => (index < first.length ? first[index] : others)?.(value) ?? value
  return (value) => {
    if (Array.isArray(value)) return value.map(change)
    return isObject(value) ? mapValues(value, (each) => change(each, first.length)) : value
  }
}

/** Creates the form of objects with these fields. */
function createFieldsForm(entries: Readonly<Record<string, v.GenericSchema>>, options: FormOptions): Form | undefined {
  const omitted = new Set(Object.keys(entries).filter((name) => isOmitted(entries[name], options)))
  const forms = new Map(Object.entries(entries).map(([name, entry]) => [name, createForm(entry, options)]))
  if (omitted.size === 0 && ![...forms.values()].some(isForm)) return undefined
  return (value) => {
    if (!isObject(value)) return value
    const kept = pick(value, (name) => !omitted.has(name))
    return mapValues(kept, (each, name) => forms.get(name)?.(each) ?? each)
  }
}

function isOmitted(schema: v.GenericSchema | undefined, { withSecrets, withMade }: FormOptions): boolean {
  if (!schema) return false
  const { secret, isDerived, isMade } = marksOf(schema)
  if (isDerived || (isMade && !withMade)) return true
  return !withSecrets && secret === true && isOptional(schema)
}

/** Returns whether the schema accepts an object without the field and does not set a default for it. */
function isOptional(schema: v.GenericSchema): boolean {
  const { type, wrapped, default: value } = partsOf(schema)
  if (type === 'exact_optional' || type === 'optional' || type === 'nullish') return value === undefined
  return type === 'nullable' && wrapped !== undefined && isOptional(wrapped)
}
