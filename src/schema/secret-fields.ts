import type * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import { marksOf, partsOf } from './documentation.ts'
import { REDACTED, readings } from './private-key-text.ts'
import { withoutSecrets } from './secret-values.ts'

/** Deeper values are named instead of shown, whatever holds them. */
const DEEPEST = 128

type AnySchema = v.GenericSchema

/** Whether a field's schema says that its value is secret. */
export function isSecret(schema: AnySchema): boolean {
  return marksOf(schema).secret === true
}

/** Whether the value at a path of a schema is secret, or stands in one that is. */
export function isSecretAt(schema: AnySchema, path: readonly unknown[]): boolean {
  if (isSecret(schema)) return true
  const { wrapped, item, entries } = partsOf(schema)
  if (wrapped) return isSecretAt(wrapped, path)
  const [key, ...rest] = path
  const next = entries ? entries[String(key)] : item
  return path.length > 0 && next !== undefined && isSecretAt(next, rest)
}

/** The names of all fields in a schema that are secret. */
function secretNames(schema: AnySchema): string[] {
  const { wrapped, item, entries = {} } = partsOf(schema)
  const inner = wrapped ?? item
  if (inner) return secretNames(inner)
  return Object.entries(entries).flatMap(([name, entry]) => (isSecret(entry) ? [name] : secretNames(entry)))
}

/** What takes the secret fields of a schema out of its values; undefined where it has none. */
export function withoutSecretFields<T>(schema: AnySchema): ((value: T) => T) | undefined {
  const names = new Set(secretNames(schema))
  return names.size > 0 ? (value) => redactedIn(value, { names, values: [] }) : undefined
}

/** What is known of the operations whose secrets are looked for. */
interface Declared {
  readonly body?: AnySchema
  readonly response?: AnySchema
}

/**
 * The names of secrets: those of the secret fields of any operation, the dialect's other names of them, and what ends
 * with one of these, however its words are written, such as `client_secret` or `privateKeyPem`. What the operations
 * declare is looked at when it is first asked for.
 */
export class SecretNames {
  readonly #operations: readonly Declared[]
  readonly #dialect: CommonDialect
  #patterns: { whole: RegExp; anywhere: RegExp } | undefined

  constructor(operations: readonly Declared[], dialect: CommonDialect) {
    this.#operations = operations
    this.#dialect = dialect
  }

  /** Whether a key names a secret. */
  has(key: string): boolean {
    const { whole } = this.#made()
    return whole.test(key) || [...readings(key)].some((reading) => whole.test(reading))
  }

  /** Whether a JSON text may have one of them as a key. */
  mayStandIn(text: string): boolean {
    return this.#made().anywhere.test(text) || /[%\\]/.test(text)
  }

  #made() {
    this.#patterns ??= patternsOf(this.#declared())
    return this.#patterns
  }

  #declared(): string[] {
    const schemas = this.#operations.flatMap(({ body, response }) =>
      [body, response].filter((each) => each !== undefined),
    )
    const names = new Set(schemas.flatMap(secretNames))
    const aliases = Object.values(this.#dialect.fieldAliases).flatMap((group) => Object.entries(group))
    return [...names, ...aliases.filter(([, field]) => names.has(field)).map(([alias]) => alias)]
  }
}

function patternsOf(names: readonly string[]) {
  const words = names.map((name) => name.replaceAll('_', '[^a-z0-9]*')).join('|')
  return { whole: new RegExp(`(?:${words})[^a-z0-9]*$`, 'i'), anywhere: new RegExp(words, 'i') }
}

/** What is to be hidden. */
export interface Hidden {
  /** The keys that name one. */
  readonly names: Pick<SecretNames, 'has'>
  /** Texts that are secret wherever they stand. */
  readonly values: readonly string[]
}

/**
 * A JSON value without its secrets: what a secret name holds, the secret values, and private keys. What nests too deep
 * is described. Answers the value itself where nothing is hidden.
 */
export function redacted(value: unknown, hidden: Hidden, depth = 0): unknown {
  if (typeof value === 'string') return withoutSecrets(value, hidden.values)
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEEPEST) return `[nested more than ${DEEPEST} levels deep]`
  return Array.isArray(value) ? redactedList(value, hidden, depth) : redactedFields(value, hidden, depth)
}

/** The same of a value of a known type, which it keeps. */
export function redactedIn<T>(value: T, hidden: Hidden): T {
  return redacted(value, hidden) as T // Texts in the place of others; what has a type does not nest too deep.
}

/** Where keys name no secrets. */
export const NO_NAMES: Hidden['names'] = { has: () => false }

/** A record without private keys and without these texts, wherever they stand in it. */
export function withoutSecretTexts<T extends object>(record: T, values: readonly string[]): T {
  return redactedIn(record, { names: NO_NAMES, values })
}

/** After a text in which a private key begins, the further texts of a list may be its lines. */
function redactedList(list: readonly unknown[], hidden: Hidden, depth: number): unknown {
  let isKey = false
  let copy: unknown[] | undefined
  list.forEach((item, index) => {
    const shown = isKey && typeof item === 'string' ? REDACTED : redacted(item, hidden, depth + 1)
    isKey ||= typeof item === 'string' && shown !== item
    if (!Object.is(shown, item)) copy ??= list.slice(0, index)
    copy?.push(shown)
  })
  return copy ?? list
}

function redactedFields(fields: object, hidden: Hidden, depth: number): unknown {
  const entries = fields as Record<string, unknown> // Read by its own names only.
  const names = Object.keys(fields)
  let copy: [string, unknown][] | undefined
  names.forEach((name, index) => {
    const value = entries[name]
    const key = withoutSecrets(name, hidden.values)
    const shown = hidden.names.has(name) ? value && REDACTED : redacted(value, hidden, depth + 1)
    if (key !== name || !Object.is(shown, value)) copy ??= names.slice(0, index).map((each) => [each, entries[each]])
    copy?.push([key, shown])
  })
  return copy ? Object.fromEntries(copy) : fields
}

/** The texts that a value holds under secret names, at any depth. */
export function secretsIn(value: unknown, names: Pick<SecretNames, 'has'>): string[] {
  const found: string[] = []
  const seen = new Set<unknown>()
  const open: { value: unknown; isSecret: boolean }[] = [{ value, isSecret: false }]
  for (let at = open.pop(); at; at = open.pop()) {
    const { value: each, isSecret: inSecret } = at
    if (typeof each === 'string' && inSecret) found.push(each)
    if (typeof each !== 'object' || each === null || seen.has(each)) continue
    seen.add(each)
    for (const [name, inner] of Object.entries(each)) {
      const isNamed = inSecret || (!Array.isArray(each) && names.has(name))
      if (isNamed || typeof inner === 'object') open.push({ value: inner, isSecret: isNamed })
    }
  }
  return found
}
