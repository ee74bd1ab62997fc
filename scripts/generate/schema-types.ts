// Writes one schema as a TypeScript interface.
import type * as v from 'valibot'
import { convert, type JsonSchema, listDefinitions, listRefusals } from '../../src/openapi/json-schema.ts'
import { type Dialect, ngrok, standard } from '../../src/resources/dialects.ts'
import { documentationOf, type Facts, isSchema, marksOf, partsOf } from '../../src/schema/documentation.ts'

type AnySchema = v.GenericSchema

const OPTIONAL = ['optional', 'exact_optional', 'nullish']

/**
 * The interface of a named schema of objects. Of what clients send, it also has the limits and errors. It extends the first of
 * some bases whose fields it has.
 */
export function interfaceOf(schema: AnySchema, isSent: boolean, bases: readonly AnySchema[] = []): string {
  const entries = entriesOf(schema)
  if (!entries) throw new Error(`${nameOf(schema)} is no object: only objects become interfaces.`)
  const base = bases.find((each) => each !== schema && hasFieldsOf(entries, each))
  const inherited = base ? Object.keys(entriesOf(base) ?? {}) : []
  const fields = Object.entries(entries).filter(
    ([name, each]) => !inherited.includes(name) && !factOf(each, 'isUnoffered'),
  )
  const members = fields.map(([name, each]) => {
    try {
      return memberOf(name, each, isSent)
    } catch (error) {
      throw new Error(`The field ${name} of ${nameOf(schema)} has no type.`, { cause: error })
    }
  })
  const parameters = factOf(schema, 'parameters')
  const head = parameters === undefined ? nameOf(schema) : `${nameOf(schema)}<${parameters}>`
  const heritage = base ? ` extends ${nameOf(base)}` : ''
  return `${comment(aboutOf(schema, isSent))}export interface ${head}${heritage} {\n${members.join('')}}\n`
}

function hasFieldsOf(entries: Readonly<Record<string, AnySchema>>, base: AnySchema): boolean {
  return Object.entries(entriesOf(base) ?? {}).every(([name, field]) => entries[name] === field)
}

/** The name of a schema's type. */
export function nameOf(schema: AnySchema): string {
  const { name } = documentationOf(schema)
  if (name === undefined) throw new Error('A body, a query or an answer has no name: give it one by named().')
  return name
}

/** The fact of the outermost part of a schema that has it. */
export function factOf<Name extends keyof Facts>(schema: AnySchema, name: Name): Facts[Name] | undefined {
  return documentationOf(schema).facts.findLast((each) => each[name] !== undefined)?.[name]
}

/** The schemas of an object's fields, also where rules follow in its pipe. */
function entriesOf(schema: AnySchema): Readonly<Record<string, AnySchema>> | undefined {
  const { entries, pipe = [] } = partsOf(schema)
  const steps = pipe.slice(1).filter(isSchema)
  return entries ?? steps.map(entriesOf).find((each) => each !== undefined)
}

/** Returns a documentation comment of some paragraphs. */
export const comment = (...paragraphs: readonly string[]): string => `/** ${paragraphs.join('\n * ')} */\n`

/** The sentence of a schema, with its limits and errors where it is sent. Rules are for readers of the repository. */
function aboutOf(schema: AnySchema, isSent: boolean): string {
  const { sentence, name } = documentationOf(schema)
  if (sentence === undefined) throw new Error(`${name ?? 'A field'} has no sentence: give it one by documented().`)
  const limits = isSent ? [...limitsOf(schema, sentence), ...refusalsIn(schema)] : []
  return [sentence, ...limits].join(' ')
}

function memberOf(name: string, schema: AnySchema, isSent: boolean): string {
  const about = comment(aboutOf(schema, isSent))
  const isOptional = OPTIONAL.includes(schema.type) && !isUntyped(schema)
  const known = knownTextsOf(schema)
  const type = known.length > 0 ? [...known.map(literal), ANY_TEXT].join(' | ') : typeOf(schema)
  // A function is a member like any other method, so that a caller's may take less.
  if (type.startsWith('(')) return `${about}${name}${isOptional ? '?' : ''}${type.replace(/\) => /, '): ')}\n`
  return `${about}${memberText(name, type, isOptional, schema)}\n`
}

/** Returns a member that nobody can change. One that may be left out may be undefined too, unless its schema says no. */
function memberText(name: string, type: string, isOptional: boolean, schema: AnySchema): string {
  if (!isOptional) return `readonly ${name}: ${type}`
  return `readonly ${name}?: ${type}${schema.type === 'exact_optional' ? '' : ' | undefined'}`
}

/** Tests whether a rule alone checks a value. Then its type is that of the JSON. */
function isUntyped(schema: AnySchema): boolean {
  return partsOf(schema).wrapped?.type === 'unknown'
}

/** The type of a schema's values, which nobody can change. */
export function typeOf(schema: AnySchema): string {
  const { type, wrapped, item, value, options = [] } = partsOf(schema)
  const stated = factOf(schema, 'type')
  // The type that an inner schema states is without null.
  if (type === 'nullable' && stated === factOf(wrapped as AnySchema, 'type')) {
    return `${typeOf(wrapped as AnySchema)} | null`
  }
  const name = stated ?? documentationOf(schema).name
  if (name !== undefined) return name
  if (isUntyped(schema)) return typeOfJson(jsonOf(schema))
  const { whole } = marksOf(schema)
  if (whole) return typeOf(whole)
  const entries = entriesOf(schema)
  if (entries) {
    const members = Object.entries(entries).map(([name, each]) =>
      memberText(name, typeOf(each), OPTIONAL.includes(each.type), each),
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
      return literal(jsonOf(schema).const)
    case 'picklist':
      return options.map(literal).join(' | ')
    case 'array':
      return arrayOf(typeOf(item as AnySchema))
    case 'record':
      return `Readonly<Record<string, ${typeOf(value as AnySchema)}>>`
    case 'optional':
    case 'exact_optional':
    case 'non_optional':
      return typeOf(wrapped as AnySchema)
    case 'union':
      return [...new Set(options.map((each) => typeOf(each as AnySchema)))].join(' | ')
    case 'custom':
      return typeOfJson(jsonOf(schema))
    default:
      throw new Error(`No type is known for v.${type}(). Use another schema, or name the type by facts({ type: '…' }).`)
  }
}

/** Takes any text, and leaves the literals beside it to editors, which `string` would not. */
const ANY_TEXT = '(string & Record<never, never>)'

/** The values of a text of which the JSON Schema lists some, and whose own type does not. */
function knownTextsOf(schema: AnySchema): readonly string[] {
  if (!isUntyped(schema) && innerOf(schema).type !== 'string') return []
  const facts = factOf(schema, 'json')
  const { enum: all, listed = all } = (typeof facts === 'function' ? facts(standard) : facts) ?? {}
  return listed?.filter((each) => typeof each === 'string') ?? []
}

/** Returns the schema inside a part that may be left out. */
function innerOf(schema: AnySchema): AnySchema {
  const { type, wrapped } = partsOf(schema)
  return wrapped && OPTIONAL.includes(type) ? innerOf(wrapped) : schema
}

function arrayOf(item: string): string {
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

function jsonOf(schema: AnySchema, dialect: Dialect = standard): JsonSchema {
  const definitions = listDefinitions([schema])
  const inside = Object.fromEntries(Object.entries(definitions).filter(([, each]) => each !== schema))
  return convert(schema, { dialect, place: 'answer', definitions: inside })
}

/** The limits of a schema in words. */
function limitsOf(schema: AnySchema, sentence: string): string[] {
  const json = jsonOf(schema)
  return [
    ...numbersOf(json),
    ...(json.minItems === undefined ? [] : [`At least ${json.minItems}.`]),
    ...textsOf(json, schema, sentence),
    ...(/\bdefault\b/i.test(sentence) ? [] : defaultOf(schema)),
    ...(factOf(schema, 'isRequired') ? ['Required.'] : []),
  ]
}

/** The default; dialects may differ. Empty texts and lists are the same as nothing. */
function defaultOf(schema: AnySchema): string[] {
  const [common, other] = [standard, ngrok].map((dialect) => jsonOf(schema, dialect).default)
  if (common === undefined || common === '' || (Array.isArray(common) && common.length === 0)) return []
  const elsewhere = other === common ? '' : `; ${quoted(other)} in the dialect \`${ngrok.name}\``
  return [`Default: ${quoted(common)}${elsewhere}.`]
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `\`${value}\`` : JSON.stringify(value)
}

function numbersOf({ type, minimum, maximum, additionalProperties }: JsonSchema): string[] {
  if (typeof additionalProperties === 'object') return numbersOf(additionalProperties)
  if (Array.isArray(type) || (minimum === undefined && maximum === undefined)) return []
  const kind = type === 'integer' ? 'An integer' : 'A number'
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
  return [isOpen ? `${kind} of at least ${minimum}.` : `${kind} from ${minimum} to ${maximum}.`]
}

/** The values of a text whose type is any text. */
function textsOf({ enum: values, listed = [] }: JsonSchema, schema: AnySchema, sentence: string): string[] {
  const isInType = values === undefined || typeOf(schema).includes("'")
  const names = (isInType ? listed : values).filter((each) => each !== '' && each !== null)
  if (names.length === 0 || sentence.includes(`\`${names[0]}\`,`)) return []
  return [`One of ${names.map((each) => `\`${each}\``).join(', ')}.`]
}

/** More keys than these tell less than the sentence, which then has the rule. The reference lists all. */
const MAX_KEYS = 4

function refusalsIn(schema: AnySchema): string[] {
  const keys = listRefusals(schema)
  return keys.length === 0 || keys.length > MAX_KEYS
    ? []
    : [`Refused as ${keys.map((key) => `\`${key}\``).join(', ')}.`]
}

/** A value as TypeScript writes it. */
export function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : JSON.stringify(value)
}
