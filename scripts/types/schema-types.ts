import type * as v from 'valibot'
import { definitionsIn, type JsonSchema, jsonSchemaOf, refusalsOf } from '../../src/openapi/json-schema.ts'
import { type Dialect, ngrok, standard } from '../../src/resources/dialects.ts'
import { documentationOf, partsOf } from '../../src/schema/documentation.ts'
import { comment, literal, WIDTH } from './text.ts'

type AnySchema = v.GenericSchema

const OPTIONAL = ['optional', 'exact_optional', 'nullish']

/** A type that others can have their fields from. */
export interface Base {
  readonly name: string
  readonly fields: Fields
}

/** The fields of an interface, each as it stands there. */
type Fields = ReadonlyMap<string, string>

/** A type, as far as others can have fields from it. */
export function baseOf(name: string, schema: AnySchema, isSent: boolean): Base {
  return { name, fields: fieldsOf(name, schema, isSent) }
}

function fieldsOf(name: string, schema: AnySchema, isSent: boolean): Fields {
  const { entries } = partsOf(schema)
  if (!entries) throw new Error(`${name} is no object: only objects become interfaces.`)
  const offered = Object.entries(entries).filter(([, each]) => isOffered(each))
  return new Map(offered.map(([field, each]) => [field, fieldOf(field, each, isSent)]))
}

/**
 * The interface of a schema that has a name, with everything that the schema says of its fields. What one of the bases
 * says already, to the letter, it has from there.
 */
export function interfaceOf(name: string, schema: AnySchema, isSent: boolean, bases: readonly Base[] = []): string {
  const left = new Map(fieldsOf(name, schema, isSent))
  const from = bases.flatMap((base) => {
    const shared = [...base.fields].flatMap(([field, text]) => (left.get(field) === text ? [field] : []))
    if (shared.length < 2) return []
    for (const field of shared) left.delete(field)
    const isWhole = shared.length === base.fields.size
    return [isWhole ? base.name : partOf(base, shared)]
  })
  const about = comment([aboutOf(name, schema, isSent)])
  const only = left.size === 0 && from.length === 1
  if (only) return `${about}export type ${name} = ${from[0]}\n`
  return `${about}export interface ${name}${heritage(name, from)} {\n${[...left.values()].join('')}}\n`
}

/**
 * The interface of an answer that has the fields of a body, each with the same sentence: it extends the body, and an editor
 * shows what stands there, with limits, defaults and errors. Undefined for one that has not.
 */
export function answerOf(name: string, schema: AnySchema, body: Body): string | undefined {
  const { entries = {} } = partsOf(schema)
  const { entries: sent = {} } = partsOf(body.schema)
  const isSame = ([field, each]: [string, AnySchema]) => {
    const other = sent[field]
    return other && documentationOf(other).sentence === documentationOf(each).sentence
  }
  if (!Object.entries(entries).every(isSame)) return undefined
  const fields = [...fieldsOf(name, schema, false).values()].map((text) => text.replace(/^ *\/\*\*.*?\*\/\n/s, ''))
  return `${comment([aboutOf(name, schema, false)])}export interface ${name} extends ${body.name} {\n${fields.join('')}}\n`
}

/** What clients send, with its name. */
interface Body {
  readonly name: string
  readonly schema: AnySchema
}

/** Some of a type's fields, by naming as few as possible. */
function partOf({ name, fields }: Base, shared: readonly string[]): string {
  const others = [...fields.keys()].filter((field) => !shared.includes(field))
  const [part, named] = others.length < shared.length ? ['Omit', others] : ['Pick', shared]
  return `${part}<${name}, ${named.map(literal).join(' | ')}>`
}

function heritage(name: string, from: readonly string[]): string {
  if (from.length === 0) return ''
  const text = ` extends ${from.join(', ')}`
  const isLong = `export interface ${name}${text} {`.length > WIDTH
  return isLong ? `\n  extends ${from.join(',\n    ')}` : text
}

/** The names of all types in these schemas, with their schemas. */
export function namedIn(schemas: readonly AnySchema[]): ReadonlyMap<string, AnySchema> {
  return new Map(Object.entries(definitionsIn(schemas)))
}

/** The name of a schema's type. */
export function nameOf(schema: AnySchema): string {
  const { name } = documentationOf(schema)
  if (name === undefined) throw new Error('A body, a query or an answer has no name: give it one by named().')
  return name
}

/** The sentence of a schema, its limits, and the rule that it follows. */
function aboutOf(name: string, schema: AnySchema, isSent: boolean): string {
  const { sentence, facts } = documentationOf(schema)
  if (sentence === undefined) throw new Error(`${name} has no sentence.`)
  const rules = facts.findLast((each) => each.rules !== undefined)?.rules
  const cited = rules === undefined ? [] : [`(rules: ${rules})`]
  const refusals = isSent ? errorSentence(schema) : []
  return [sentence, ...limitsOf(schema, sentence, isSent), ...refusals, ...cited].join(' ')
}

function isOffered(schema: AnySchema): boolean {
  return !documentationOf(schema).facts.some(({ isUnoffered }) => isUnoffered)
}

function fieldOf(name: string, schema: AnySchema, isSent: boolean): string {
  const isOptional = OPTIONAL.includes(schema.type) && !isUntyped(schema)
  const type = typeOf(schema)
  const orUndefined = isOptional && schema.type !== 'exact_optional' ? `${type} | undefined` : type
  return `${comment([aboutOf(name, schema, isSent)], '  ')}  readonly ${name}${isOptional ? '?' : ''}: ${orUndefined}\n`
}

/** Whether a rule alone says what a value is; then its type is that of the JSON. */
function isUntyped(schema: AnySchema): boolean {
  const { wrapped } = partsOf(schema)
  return wrapped?.type === 'unknown'
}

/** The type of what goes through a schema: all of it cannot be changed. */
function typeOf(schema: AnySchema): string {
  const { name } = documentationOf(schema)
  if (name !== undefined) return name
  if (isUntyped(schema)) return typeOfJson(jsonOf(schema))
  const { type, wrapped, item, value, options = [] } = partsOf(schema)
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
      return type
    case 'picklist':
      return options.map(literal).join(' | ')
    case 'array':
      return arrayOf(typeOf(item as AnySchema))
    case 'record':
      return `Readonly<Record<string, ${typeOf(value as AnySchema)}>>`
    case 'nullable':
      return `${typeOf(wrapped as AnySchema)} | null`
    case 'optional':
    case 'exact_optional':
      return typeOf(wrapped as AnySchema)
    case 'union':
      return [...new Set(options.map((each) => typeOf(each as AnySchema)))].join(' | ')
    case 'custom':
      return typeOfJson(jsonOf(schema))
    default:
      throw new Error(`No type is known for a schema of the kind ${type}: give it a name, or teach this script.`)
  }
}

function arrayOf(item: string): string {
  return `readonly ${item.includes(' ') ? `(${item})` : item}[]`
}

function typeOfJson({ type, additionalProperties }: JsonSchema): string {
  if (type !== 'object') return String(type)
  const values = typeof additionalProperties === 'object' ? additionalProperties.type : undefined
  return `Readonly<Record<string, ${values === undefined ? 'unknown' : String(values).replace('integer', 'number')}>>`
}

function jsonOf(schema: AnySchema, dialect: Dialect = standard): JsonSchema {
  const definitions = definitionsIn([schema])
  const inside = Object.fromEntries(Object.entries(definitions).filter(([, each]) => each !== schema))
  return jsonSchemaOf(schema, { dialect, place: 'answer', definitions: inside })
}

/** What a schema says of its values beside its sentence and its type, in words; the texts only where they are sent. */
function limitsOf(schema: AnySchema, sentence: string, isSent: boolean): string[] {
  const json = jsonOf(schema)
  const { facts } = documentationOf(schema)
  return [
    ...numbersOf(json),
    ...(json.minItems === undefined ? [] : [`At least ${json.minItems}.`]),
    ...(isSent ? textsOf(json, schema, sentence) : []),
    ...defaultOf(schema),
    ...(facts.some(({ isRequired }) => isRequired) ? ['Required.'] : []),
  ]
}

/** What counts where nothing is sent; dialects may differ. */
function defaultOf(schema: AnySchema): string[] {
  const [common, other] = [standard, ngrok].map((dialect) => jsonOf(schema, dialect).default)
  if (common === undefined || isEmpty(common)) return []
  const elsewhere = other === common ? '' : `; ${said(other)} in the dialect \`${ngrok.name}\``
  return [`Default: ${said(common)}${elsewhere}.`]
}

/** Empty texts and lists stand for what was left out. */
function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}

function said(value: unknown): string {
  return typeof value === 'string' ? `\`${value}\`` : JSON.stringify(value)
}

function numbersOf({ type, minimum, maximum, additionalProperties }: JsonSchema): string[] {
  if (typeof additionalProperties === 'object') return numbersOf(additionalProperties)
  if (minimum === undefined && maximum === undefined) return []
  const kind = type === 'integer' ? 'An integer' : 'A number'
  return [maximum === undefined ? `${kind} of at least ${minimum}.` : `${kind} from ${minimum} to ${maximum}.`]
}

/** The values of a text whose type is any text. */
function textsOf({ enum: values, anyOf = [] }: JsonSchema, schema: AnySchema, sentence: string): string[] {
  const isInType = values === undefined || typeOf(schema).includes("'")
  const listed = isInType ? anyOf.flatMap((each) => each.enum ?? []) : values
  const names = listed.filter((each) => each !== '' && each !== null)
  if (names.length === 0 || sentence.includes(`\`${names[0]}\`,`)) return []
  return [`One of ${names.map((each) => `\`${each}\``).join(', ')}.`]
}

/** The errors of a schema itself. */
function errorSentence(schema: AnySchema): string[] {
  const keys = refusalsOf(schema)
  return keys.length === 0 ? [] : [`Refused as ${keys.map((key) => `\`${key}\``).join(', ')}.`]
}
