// Writes one schema as a TypeScript interface.
import type * as v from 'valibot'
import { documentationOf } from '../../src/core/schema/documentation.ts'
import type { Facts } from '../../src/core/schema/facts.ts'
import { isSchema, marksOf, partsOf } from '../../src/core/schema/schema-parts.ts'
import {
  convert,
  createConversion,
  type JsonSchema,
  listDefinitions,
  listRefusals,
} from '../../src/gateway/openapi/json-schema.ts'
import { type Dialect, ngrok, standard } from '../../src/service/resources/dialects.ts'

type AnySchema = v.GenericSchema

const OPTIONAL = ['optional', 'exact_optional', 'nullish']

/**
 * Formats the interface of a named schema of objects. If clients send the objects, it also has the limits and errors.
 * It extends the first of the bases whose fields it has.
 */
export function formatInterface(schema: AnySchema, isSent: boolean, bases: readonly AnySchema[] = []): string {
  const entries = entriesOf(schema)
  if (!entries) throw new Error(`${nameOf(schema)} is no object: only objects become interfaces.`)
  const base = bases.find((each) => each !== schema && hasFieldsOf(entries, each))
  const inherited = base ? Object.keys(entriesOf(base) ?? {}) : []
  const fields = Object.entries(entries).filter(
    ([name, each]) => !inherited.includes(name) && !factOf(each, 'isUnoffered'),
  )
  const members = fields.map(([name, each]) => {
    try {
      return formatMember(name, each, isSent)
    } catch (error) {
      throw new Error(`The field ${name} of ${nameOf(schema)} has no type.`, { cause: error })
    }
  })
  const parameters = factOf(schema, 'parameters')
  const head = parameters === undefined ? nameOf(schema) : `${nameOf(schema)}<${parameters}>`
  const heritage = base ? ` extends ${nameOf(base)}` : ''
  return `${formatComment(formatAbout(schema, isSent))}export interface ${head}${heritage} {\n${members.join('')}}\n`
}

function hasFieldsOf(entries: Readonly<Record<string, AnySchema>>, base: AnySchema): boolean {
  return Object.entries(entriesOf(base) ?? {}).every(([name, field]) => entries[name] === field)
}

/** Returns the name of a schema's type. */
export function nameOf(schema: AnySchema): string {
  const { name } = documentationOf(schema)
  if (name === undefined) throw new Error('A body, a query or a response has no name: give it one by named().')
  return name
}

/** Returns a fact of the outermost part of a schema that has the fact. */
export function factOf<Name extends keyof Facts>(schema: AnySchema, name: Name): Facts[Name] | undefined {
  return documentationOf(schema).facts.findLast((each) => each[name] !== undefined)?.[name]
}

/** Returns the schemas of an object's fields, also if rules follow in its pipe. */
function entriesOf(schema: AnySchema): Readonly<Record<string, AnySchema>> | undefined {
  const { entries, pipe = [] } = partsOf(schema)
  const steps = pipe.slice(1).filter(isSchema)
  return entries ?? steps.map(entriesOf).find((each) => each !== undefined)
}

/** Formats a documentation comment of some paragraphs. */
export const formatComment = (...paragraphs: readonly string[]): string => `/** ${paragraphs.join('\n * ')} */\n`

/** Formats the sentence of a schema. If clients send it, its limits and errors follow. */
function formatAbout(schema: AnySchema, isSent: boolean): string {
  const { sentence, name } = documentationOf(schema)
  if (sentence === undefined) throw new Error(`${name ?? 'A field'} has no sentence: give it one by documented().`)
  const limits = isSent ? [...listLimits(schema, sentence), ...formatRefusals(schema)] : []
  return [sentence, ...limits].join(' ')
}

function formatMember(name: string, schema: AnySchema, isSent: boolean): string {
  const about = formatComment(formatAbout(schema, isSent))
  const isOptional = OPTIONAL.includes(schema.type) && !isUntyped(schema)
  const known = listKnownTexts(schema)
  const open = [...known.map(formatLiteral), ANY_TEXT, ...(schema.type === 'nullable' ? ['null'] : [])]
  const type = known.length > 0 ? open.join(' | ') : typeOf(schema)
  // A function becomes a method, so that a caller's function may take fewer parameters.
  if (type.startsWith('(')) return `${about}${name}${isOptional ? '?' : ''}${type.replace(/\) => /, '): ')}\n`
  return `${about}${formatField(name, type, isOptional, schema)}\n`
}

/** Formats a read-only member. An optional one may be undefined too, unless its schema forbids that. */
function formatField(name: string, type: string, isOptional: boolean, schema: AnySchema): string {
  if (!isOptional) return `readonly ${name}: ${type}`
  return `readonly ${name}?: ${type}${schema.type === 'exact_optional' ? '' : ' | undefined'}`
}

/** Tests whether only a rule checks a value. The type is then that of the JSON Schema. */
function isUntyped(schema: AnySchema): boolean {
  return partsOf(schema).wrapped?.type === 'unknown'
}

/** Returns the read-only type of a schema's values. */
export function typeOf(schema: AnySchema): string {
  const { type, wrapped, item, value, options = [] } = partsOf(schema)
  const statedType = factOf(schema, 'type')
  // The type that an inner schema states is without null.
  if (type === 'nullable' && statedType === factOf(wrapped as AnySchema, 'type')) {
    return `${typeOf(wrapped as AnySchema)} | null`
  }
  const name = statedType ?? documentationOf(schema).name
  if (name !== undefined) return name
  if (isUntyped(schema)) return typeOfJson(convertToJson(schema))
  const { whole } = marksOf(schema)
  if (whole) return typeOf(whole)
  const entries = entriesOf(schema)
  if (entries) {
    const members = Object.entries(entries).map(([name, each]) =>
      formatField(name, typeOf(each), OPTIONAL.includes(each.type), each),
    )
    return `{ ${members.join('; ')} }`
  }
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
      return type
    case 'literal':
      return formatLiteral(convertToJson(schema).const)
    case 'picklist':
      return options.map(formatLiteral).join(' | ')
    case 'array':
      return formatArray(typeOf(item as AnySchema))
    case 'record':
      return `Readonly<Record<string, ${typeOf(value as AnySchema)}>>`
    case 'optional':
    case 'exact_optional':
    case 'non_optional':
      return typeOf(wrapped as AnySchema)
    case 'union':
      return [...new Set(options.map((each) => typeOf(each as AnySchema)))].join(' | ')
    case 'custom':
      return typeOfJson(convertToJson(schema))
    default:
      throw new Error(`No type is known for v.${type}(). Use another schema, or name the type by facts({ type: '…' }).`)
  }
}

/** The type of any text. Beside it, editors still offer literals, which they do not beside `string`. */
const ANY_TEXT = '(string & Record<never, never>)'

/** Returns the values that the JSON Schema of a text lists, if the type of the text does not list any. */
function listKnownTexts(schema: AnySchema): readonly string[] {
  if (!isUntyped(schema) && innerOf(schema).type !== 'string') return []
  const facts = factOf(schema, 'json')
  const { enum: all, listed = all } = (typeof facts === 'function' ? facts(standard) : facts) ?? {}
  return listed?.filter((each) => typeof each === 'string') ?? []
}

/** Returns the schema inside an optional part, or of one that may be null. */
function innerOf(schema: AnySchema): AnySchema {
  const { type, wrapped } = partsOf(schema)
  return wrapped && [...OPTIONAL, 'nullable'].includes(type) ? innerOf(wrapped) : schema
}

function formatArray(item: string): string {
  return `readonly ${item.includes(' ') ? `(${item})` : item}[]`
}

function typeOfJson({ type, additionalProperties }: JsonSchema): string {
  if (type === undefined)
    throw new Error(
      "A rule checks a value of no known type: say it by facts({ type: '…' }), or in the row of an option by { type: '…' }.",
    )
  if (type !== 'object') return String(type)
  const values = typeof additionalProperties === 'object' ? additionalProperties.type : undefined
  return `Readonly<Record<string, ${values === undefined ? 'unknown' : String(values).replace('integer', 'number')}>>`
}

function convertToJson(schema: AnySchema, dialect: Dialect = standard): JsonSchema {
  const definitions = listDefinitions([schema])
  const inside = Object.fromEntries(Object.entries(definitions).filter(([, each]) => each !== schema))
  return convert(schema, createConversion(dialect, 'response', inside))
}

/** Returns the limits of a schema in words. */
function listLimits(schema: AnySchema, sentence: string): string[] {
  const json = convertToJson(schema)
  return [
    ...formatRange(json),
    ...(json.minItems === undefined ? [] : [`At least ${json.minItems}.`]),
    ...formatAllowedTexts(json, schema, sentence),
    ...(/\bdefault\b/i.test(sentence) ? [] : formatDefault(schema)),
    ...(factOf(schema, 'isRequired') ? ['Required.'] : []),
  ]
}

/** Formats the default; dialects may differ. Empty texts and lists count as no default. */
function formatDefault(schema: AnySchema): string[] {
  const [common, other] = [standard, ngrok].map((dialect) => convertToJson(schema, dialect).default)
  if (common === undefined || common === '' || (Array.isArray(common) && common.length === 0)) return []
  const elsewhere = other === common ? '' : `; ${formatValue(other)} in the dialect \`${ngrok.name}\``
  return [`Default: ${formatValue(common)}${elsewhere}.`]
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? `\`${value}\`` : JSON.stringify(value)
}

function formatRange({ type, minimum, maximum, additionalProperties }: JsonSchema): string[] {
  if (typeof additionalProperties === 'object') return formatRange(additionalProperties)
  if (Array.isArray(type) || (minimum === undefined && maximum === undefined)) return []
  const kind = type === 'integer' ? 'An integer' : 'A number'
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
  return [isOpen ? `${kind} of at least ${minimum}.` : `${kind} from ${minimum} to ${maximum}.`]
}

/** Formats the values of a text whose type is any text. */
function formatAllowedTexts({ enum: values, listed = [] }: JsonSchema, schema: AnySchema, sentence: string): string[] {
  const isInType = values === undefined || typeOf(schema).includes("'")
  const names = (isInType ? listed : values).filter((each) => each !== '' && each !== null)
  if (names.length === 0 || sentence.includes(`\`${names[0]}\`,`)) return []
  return [`One of ${names.map((each) => `\`${each}\``).join(', ')}.`]
}

/** The maximum number of keys. More keys tell less than the sentence with the rule. The reference lists all keys. */
const MAX_KEYS = 4

function formatRefusals(schema: AnySchema): string[] {
  const keys = listRefusals(schema)
  return keys.length === 0 || keys.length > MAX_KEYS
    ? []
    : [`Rejected as ${keys.map((key) => `\`${key}\``).join(', ')}.`]
}

/** Formats a value as TypeScript writes it. */
export function formatLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : JSON.stringify(value)
}
