import type * as v from 'valibot'
import type { Dialect } from './dialect.ts'
import { type Problem, problem, Refusal } from './errors.ts'
import { quote, quoteField } from './quote.ts'
import { fromMessage, isObject, type RuleContext } from './schema.ts'

/** How deep a body may nest; deeper ones are refused rather than walked. */
const DEEPEST = 64

/** How many values one field may hold: more than any body over HTTP can, so that no object of a caller takes forever. */
const MOST_VALUES = 1_000_000

type AnySchema = v.GenericSchema
type Path = readonly (string | number)[]

/** What a schema says about the shape of a body, worked out once per operation. */
type Shape =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'value'; readonly blankIsAbsent: boolean }

/** Reads a body for one operation: takes what a client sent, answers what the operation's schema makes of it. */
export type BodyReader<T> = (raw: unknown, ids: Readonly<Record<string, string>>, context: RuleContext) => T

/**
 * Makes the reader of an operation's body. It finds all problems in one pass, unknown fields first, and throws them
 * as one refusal (decisions, "Requests", 5). `group` selects the dialect's aliases and ignored fields.
 */
export function bodyReader<S extends AnySchema>(
  schema: S,
  group: string,
  options: { wrappable?: boolean } = {},
): BodyReader<v.InferOutput<S>> {
  const shape = shapeOf(schema)
  return (raw, ids, context) => {
    const problems: Problem[] = []
    const body = inDialect(raw, group, context.dialect, problems)
    const bare = options.wrappable ? unwrapped(body, context.dialect.moduleEnvelope) : body
    const plain = given(shape, withoutPathIds(bare, ids, problems), [], problems)
    // Not `safeParse`: it hands on only the settings it knows, and the rules look at the context.
    const parsed = schema['~run']({ value: plain }, context as object)
    for (const issue of parsed.issues ?? []) problems.push(fromIssue(issue))
    if (problems.length > 0) throw new Refusal(problems as [Problem, ...Problem[]])
    return parsed.value as v.InferOutput<S>
  }
}

/** Applies the dialect's other field names and drops the fields it ignores. */
function inDialect(raw: unknown, group: string, dialect: Dialect, problems: Problem[]): unknown {
  const aliases = dialect.fieldAliases[group]
  const ignored = dialect.ignoredFields[group]
  if ((!aliases && !ignored) || !isObject(raw)) return raw
  const body = { ...raw }
  for (const name of ignored ?? []) delete body[name]
  for (const [alias, field] of Object.entries(aliases ?? {})) {
    if (!isGiven(body[alias])) {
      delete body[alias]
      continue
    }
    if (isGiven(body[field])) problems.push({ ...problem('domain_name_and_domain', { alias, field }), field: alias })
    else body[field] = body[alias]
    delete body[alias]
  }
  return body
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Takes a module out of the envelope that some clients wrap it in; ids beside it stay. */
function unwrapped(body: unknown, envelope: string | null): unknown {
  if (envelope === null || !isObject(body) || !Object.hasOwn(body, envelope)) return body
  const { [envelope]: inner, ...beside } = body
  return isObject(inner) ? { ...inner, ...beside } : inner === null ? beside : body
}

/** `id` and `edge_id` in a body are accepted when they equal the path's. */
function withoutPathIds(body: unknown, ids: Readonly<Record<string, string>>, problems: Problem[]): unknown {
  if (!isObject(body)) return body
  const names = Object.keys(ids).filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const rest = { ...body }
  for (const name of names) {
    if (isGiven(body[name]) && body[name] !== ids[name]) {
      problems.push(invalid(name, body[name], `the path's own id, ${quote(ids[name])}`))
    }
    delete rest[name]
  }
  return rest
}

/** Copies what was given: drops `null` where a field is expected, reports unknown fields, refuses what is not JSON. */
function given(shape: Shape, value: unknown, path: Path, problems: Problem[]): unknown {
  if (shape.kind === 'object') {
    if (isObject(value)) return givenFields(shape.fields, value, path, problems)
    problems.push(invalid(path.join('.') || 'the body', value, 'an object'))
    return undefined
  }
  if (shape.kind === 'list' && Array.isArray(value)) {
    return value.map((item, index) => given(shape.item, item, [...path, index], problems))
  }
  return plainJson(value, path, problems)
}

function givenFields(
  fields: ReadonlyMap<string, Shape>,
  value: Record<string, unknown>,
  path: Path,
  problems: Problem[],
) {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const shape = fields.get(name)
    const received = value[name]
    if (!shape) {
      const field = [...path, name].join('.')
      problems.push(problem('field_unknown', { field, allowed: [...fields.keys()].join(', ') || 'none' }))
    } else if (received !== null && received !== undefined && !(received === '' && isBlank(shape))) {
      copy[name] = given(shape, received, [...path, name], problems)
    }
  }
  return copy
}

function isBlank(shape: Shape): boolean {
  return shape.kind === 'value' && shape.blankIsAbsent
}

/** Copies a JSON value. A whole value of a wrong type is the schema's to refuse. */
function plainJson(value: unknown, path: Path, problems: Problem[]): unknown {
  return typeof value === 'object' && value !== null ? copied(value, path, { problems, left: MOST_VALUES }) : value
}

/** What is found while a value is copied, and how many values it may still have. */
interface Copying {
  readonly problems: Problem[]
  left: number
}

/**
 * Copies what is inside a value, and refuses what JSON does not have. Keys such as `__proto__` stay data: entries are
 * defined, never assigned.
 */
function copied(value: unknown, path: Path, copying: Copying): unknown {
  if (copying.left-- <= 0 || path.length > DEEPEST) {
    const allowed = `at most ${DEEPEST} levels of nesting and ${MOST_VALUES} values`
    if (copying.left >= -1) copying.problems.push(invalid(path.slice(0, 3).join('.'), value, allowed))
    copying.left = -2
    return undefined
  }
  if (Array.isArray(value)) return value.map((item, index) => copied(item ?? null, [...path, index], copying))
  if (isObject(value)) {
    return Object.fromEntries(Object.keys(value).map((name) => [name, copied(value[name], [...path, name], copying)]))
  }
  if (!isJsonLeaf(value)) copying.problems.push(invalid(path.join('.'), value, 'a value that JSON has'))
  return value
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean'
}

function shapeOf(schema: AnySchema): Shape {
  const { type, wrapped, entries, item, pipe } = schema as unknown as {
    type: string
    wrapped?: AnySchema
    entries?: Record<string, AnySchema>
    item?: AnySchema
    pipe?: readonly { kind: string; metadata?: { blank?: string } }[]
  }
  if (wrapped) return shapeOf(wrapped)
  if (entries) {
    return { kind: 'object', fields: new Map(Object.entries(entries).map(([name, entry]) => [name, shapeOf(entry)])) }
  }
  if (type === 'array' && item) return { kind: 'list', item: shapeOf(item) }
  return { kind: 'value', blankIsAbsent: pipe?.some((step) => step.metadata?.blank === 'absent') ?? false }
}

const ALLOWED: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  Object: 'an object',
  Array: 'an array',
}

function fromIssue(issue: v.BaseIssue<unknown>): Problem {
  const field = issue.path?.map((step) => String(step.key)).join('.') || 'the body'
  const own = fromMessage(issue.message)
  if (!own) {
    const expected = issue.expected ?? 'another value'
    const isMissing = issue.received === 'undefined'
    return invalid(field, issue.input, ALLOWED[expected] ?? (isMissing ? 'a value; the field is required' : expected))
  }
  const [key, values, message] = own
  if (message) return { key, message, field }
  const received = quoteField(field, issue.input)
  return { ...problem(key, { field, received, ...values } as never), field }
}

function invalid(field: string, received: unknown, allowed: string): Problem {
  return problem('field_invalid', { field, received: quoteField(field, received), allowed })
}
