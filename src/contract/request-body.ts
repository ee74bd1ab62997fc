import * as v from 'valibot'
import { isGiven } from './dialect-body.ts'
import { type Problem, problem, refuse } from './errors.ts'
import { general } from './general-errors.ts'
import { isObject } from './json.ts'
import { withoutPrivateKeys } from './private-key-text.ts'
import { Problems } from './problems.ts'
import { quote, quoteSecret } from './quote.ts'
import { MOST_HANDED_ON, Reading, type RuleContext } from './reading.ts'
import { marksOf, partsOf, schemaAt } from './schema-parts.ts'
import { isSecretAt } from './secret-fields.ts'

/** How deep a body may nest; deeper ones are refused rather than walked. */
const DEEPEST = 64

/** How many values one field may hold: more than any body over HTTP can, so that no object of a caller takes forever. */
const MOST_VALUES = 1_000_000

/** How messages call a body as a whole. */
const THE_BODY = 'the body'

type AnySchema = v.GenericSchema
type Path = readonly (string | number)[]

/** What is read, how messages call all of it, and what is wrong with it so far. */
interface About {
  readonly whole: string
  /** Whether `null` and "" are values, as in what a gateway kept, and not what clients send for "not given". */
  readonly isKept: boolean
  readonly problems: Problems
}

/** What a schema says about the shape of a body, worked out once per operation. */
type Shape =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'value'; readonly blankIsAbsent: boolean }

/** Reads a body: takes what a client sent, answers what the schema makes of it. */
export type BodyReader<T> = (
  body: unknown,
  ids: Readonly<Record<string, string>>,
  context: RuleContext,
  dialect?: {
    /** What the dialect refuses in the body already. */
    readonly problems: readonly Problem[]
    /** The fields that the dialect has beside the API reference's. */
    readonly extraFields: readonly string[] | undefined
  },
) => T

/**
 * Makes the reader of a body. It finds all problems in one pass, unknown fields first, and throws them as one refusal
 * (rules: errors#all-problems).
 */
export function bodyReader<S extends AnySchema>(schema: S): BodyReader<v.InferOutput<S>> {
  const whole = shapeOf(schema)
  const extras = extraFieldsOf(schema)
  const plainShape = withoutFields(whole, extras)
  return (body, ids, context, dialect) => {
    const problems = new Problems()
    for (const each of dialect?.problems ?? []) problems.add(() => each)
    const known = dialect?.extraFields
    const shape = known
      ? withoutFields(
          whole,
          extras.filter((name) => !known.includes(name)),
        )
      : plainShape
    const sent = withoutPathIds(jsonObject(body), ids, problems)
    return readAs(schema, shape, sent, context, { whole: THE_BODY, isKept: false, problems })
  }
}

/**
 * Reads what a gateway kept, such as a snapshot, by a schema: like a body, but nothing in it stands for "not given".
 * `whole` is what messages call it.
 * @throws Refusal with the problems, unknown fields first.
 */
export function readKept<S extends AnySchema>(
  schema: S,
  raw: unknown,
  whole: string,
  context: RuleContext,
): v.InferOutput<S> {
  return readAs(schema, shapeOf(schema), raw, context, { whole, isKept: true, problems: new Problems() })
}

function readAs(schema: AnySchema, shape: Shape, raw: unknown, context: RuleContext, about: About): unknown {
  const plain = given(shape, raw, [], about)
  const reading = new Reading(context)
  const parsed = v.safeParse(schema, plain, reading.settings)
  if (parsed.issues) addIssues(about, schema, parsed.issues, reading)
  about.problems.refuse()
  return parsed.output
}

/** Adds what the schema found; of very many problems, the rules have only counted the later ones. */
function addIssues(
  { problems, whole, isKept }: About,
  schema: AnySchema,
  issues: readonly v.BaseIssue<unknown>[],
  reading: Reading,
): void {
  const worded = (issue: v.BaseIssue<unknown>) => fromIssue(issue, schema, whole, reading)
  for (const issue of issues) problems.add(() => (isKept ? withPlace(worded(issue)) : worded(issue)))
  problems.addCounted(Math.max(0, reading.count - MOST_HANDED_ON), reading.isCut)
}

/** `id` and `edge_id` in a body are accepted when they equal the path's. */
function withoutPathIds(body: unknown, ids: Readonly<Record<string, string>>, problems: Problems): unknown {
  if (!isObject(body)) return body
  const names = Object.keys(ids).filter((name) => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const rest = { ...body }
  for (const name of names) {
    if (isGiven(body[name]) && body[name] !== ids[name]) {
      problems.add(() => invalid(name, body[name], `the path's own id, ${quote(ids[name])}`))
    }
    delete rest[name]
  }
  return rest
}

/** Copies what was given: drops `null` where a field is expected, reports unknown fields, refuses what is not JSON. */
function given(shape: Shape, value: unknown, path: Path, about: About): unknown {
  if (shape.kind === 'object') {
    return isObject(value) ? givenFields(shape.fields, value, path, about) : noObject(value)
  }
  if (shape.kind === 'list' && Array.isArray(value)) {
    return value.map((item, index) => given(shape.item, item, [...path, index], about))
  }
  return plainJson(value, path, about.problems)
}

/** What stands in the place of a value that is no object, for the schema to refuse: it would take an array for one. */
function noObject(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Symbol(quote(value)) : value
}

function givenFields(fields: ReadonlyMap<string, Shape>, value: Record<string, unknown>, path: Path, about: About) {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const shape = fields.get(name)
    const received = value[name]
    if (!shape) {
      const allowed = () => [...fields.keys()].join(', ') || 'none'
      about.problems.add(() =>
        problem(general.field_unknown, { field: fieldPath([...path, name]), allowed: allowed() }),
      )
    } else if (isValue(received, shape, about)) {
      copy[name] = isInner(received) ? given(shape, received, [...path, name], about) : received
    }
  }
  return copy
}

/** Whether there may be something to copy in a value. Nearly all values are none of these, and need no path. */
function isInner(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isValue(received: unknown, shape: Shape, { isKept }: About): boolean {
  if (isKept || received === undefined) return received !== undefined
  return received !== null && !(received === '' && shape.kind === 'value' && shape.blankIsAbsent)
}

/** Copies a JSON value. A whole value of a wrong type is the schema's to refuse. */
function plainJson(value: unknown, path: Path, problems: Problems): unknown {
  if (!isInner(value)) return value
  return copied(value, [], { value, path, problems, left: MOST_VALUES, isTooLarge: false })
}

/** What is copied, where it stands, what is found in it, and how many values it may still have. */
interface Copying {
  readonly value: object
  readonly path: Path
  readonly problems: Problems
  left: number
  isTooLarge: boolean
}

/**
 * Copies what is inside a value, and refuses what JSON does not have. Keys such as `__proto__` stay data: entries are
 * defined, never assigned.
 */
function copied(value: unknown, below: Path, copying: Copying): unknown {
  if (copying.isTooLarge || copying.left-- === 0 || below.length > DEEPEST) return tooLarge(below, copying)
  if (Array.isArray(value)) return value.map((item, index) => copied(item ?? null, [...below, index], copying))
  if (isObject(value)) {
    return Object.fromEntries(Object.keys(value).map((name) => [name, copied(value[name], [...below, name], copying)]))
  }
  if (!isJsonLeaf(value)) {
    const { path, problems } = copying
    problems.add(() => invalid(fieldPath([...path, ...below]), value, 'a value that JSON has'))
  }
  return value
}

/** Notes, once, that a value cannot be copied as a whole. */
function tooLarge(below: Path, copying: Copying): undefined {
  const { value, path, problems, isTooLarge } = copying
  copying.isTooLarge = true
  if (isTooLarge) return
  const deeper = `at most ${DEEPEST} levels of nesting, and ${fieldPath(below)} goes deeper`
  const allowed = below.length > DEEPEST ? deeper : `at most ${MOST_VALUES} values`
  problems.add(() => invalid(fieldPath(path), value, allowed))
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean'
}

function shapeOf(schema: AnySchema): Shape {
  const { type, wrapped, entries, item } = partsOf(schema)
  if (wrapped) return shapeOf(wrapped)
  if (entries) {
    return { kind: 'object', fields: new Map(Object.entries(entries).map(([name, entry]) => [name, shapeOf(entry)])) }
  }
  if (type === 'array' && item) return { kind: 'list', item: shapeOf(item) }
  return { kind: 'value', blankIsAbsent: marksOf(schema).blank === 'absent' }
}

/** The fields of a body that exist only where the dialect names them. */
function extraFieldsOf(schema: AnySchema): string[] {
  const { entries = {} } = partsOf(schema)
  return Object.entries(entries).flatMap(([name, entry]) => (marksOf(entry).extra ? [name] : []))
}

function withoutFields(shape: Shape, names: readonly string[]): Shape {
  if (shape.kind !== 'object' || names.length === 0) return shape
  return { kind: 'object', fields: new Map([...shape.fields].filter(([name]) => !names.includes(name))) }
}

const ALLOWED: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  Object: 'an object',
  Array: 'an array',
}

/** Among the many values of what was kept, every message says which one it is about. */
function withPlace({ error, message, field = '' }: Problem): Problem {
  return { error, field, message: message.includes(field) ? message : `${field}: ${message}` }
}

function fromIssue(issue: v.BaseIssue<unknown>, schema: AnySchema, whole: string, reading: Reading): Problem {
  const path = issue.path?.map((step) => String(step.key)) ?? []
  const field = fieldPath(path, whole)
  const received = isSecretAt(schema, path) ? quoteSecret(issue.input) : shown(issue.input)
  const wording = reading.wordingOf(issue)
  if (wording) return { ...wording({ field, received }), field }
  const error = errorAt(schema, path, issue)
  return problem(error, { field, received, allowed: issue.message || allowedBy(issue) })
}

/** The error of a field that does not take a value. That one is missing says the object that it belongs to. */
function errorAt(schema: AnySchema, path: Path, issue: v.BaseIssue<unknown>) {
  const at = isMissing(issue) ? undefined : schemaAt(schema, path)
  return (at && marksOf(at).refusedAs) ?? general.field_invalid
}

function isMissing({ message, received }: v.BaseIssue<unknown>): boolean {
  return message === '' && received === 'undefined'
}

function allowedBy(issue: v.BaseIssue<unknown>): string {
  const expected = issue.expected ?? 'another value'
  return ALLOWED[expected] ?? (isMissing(issue) ? 'a value; the field is required' : expected)
}

function invalid(field: string, value: unknown, allowed: string): Problem {
  return problem(general.field_invalid, { field, received: shown(value), allowed })
}

/** How a message shows a value, or the one in whose place {@link noObject} stands. */
function shown(value: unknown): string {
  return typeof value === 'symbol' ? (value.description ?? 'a symbol') : quote(value)
}

/** The segments of a path that are shown, and the characters of each. */
const MOST_SEGMENTS = 12
const LONGEST_SEGMENT = 64

/** How messages and `details` name a field; keys that a client made up are cut, and quoted where they are no names. */
export function fieldPath(path: Path, whole = THE_BODY): string {
  if (path.length === 0) return whole
  const shown = path.slice(0, MOST_SEGMENTS).map(segment)
  return `${shown.join('.')}${path.length > MOST_SEGMENTS ? '.…' : ''}`
}

function segment(key: string | number): string {
  const text = withoutPrivateKeys(String(key))
  const cut = text.length > LONGEST_SEGMENT ? `${text.slice(0, LONGEST_SEGMENT)}…` : text
  return /^[\w$…-]+$/.test(cut) ? cut : JSON.stringify(cut)
}

/** A body that must be one JSON object; refuses anything else. */
export function jsonObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : refuse(general.body_unparsable, { received: kindOf(value) })
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? `an object of another kind` : `a ${typeof value}`
}
