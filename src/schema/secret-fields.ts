import type * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import { marksOf, partsOf, schemaAt } from './documentation.ts'
import { NO_TEXTS, REDACTED, type SecretTexts, withoutSecrets } from './secret-texts.ts'

/** The maximum nesting that is shown; a text replaces deeper values. */
const MAX_DEPTH = 128

type AnySchema = v.GenericSchema

function isSecret(schema: AnySchema): boolean {
  return marksOf(schema).secret === true
}

export function isSecretAt(schema: AnySchema, path: readonly unknown[]): boolean {
  const alongPath = [schema, ...path.map((_, index) => schemaAt(schema, path.slice(0, index + 1)))]
  return alongPath.some((each) => each !== undefined && isSecret(each))
}

/** Returns the names of the secret fields in a schema; `isCommon` selects those whose names harmless fields have too. */
function listSecretNames(schema: AnySchema, isCommon?: boolean): string[] {
  const { wrapped, item, entries = {} } = partsOf(schema)
  const inner = wrapped ?? item
  if (inner) return listSecretNames(inner, isCommon)
  return Object.entries(entries).flatMap(([name, entry]) => {
    if (!isSecret(entry)) return listSecretNames(entry, isCommon)
    return isCommon === undefined || isCommon === (marksOf(entry).isCommonName === true) ? [name] : []
  })
}

/** Returns a function that redacts the secret fields of a schema's values; undefined if the schema has no secret fields. */
export function withoutSecretFields<T>(schema: AnySchema): ((value: T) => T) | undefined {
  const names = new Set(listSecretNames(schema))
  return names.size > 0 ? (value) => redact(value, { names, values: NO_TEXTS }) : undefined
}

interface OperationSchemas {
  readonly body?: AnySchema
  readonly response?: AnySchema
}

function listOperationSecretNames({ body, response }: OperationSchemas, isCommon: boolean): string[] {
  return [body, response].flatMap((schema) => (schema ? listSecretNames(schema, isCommon) : []))
}

function createEndingPattern(names: readonly string[]): RegExp {
  return new RegExp(`(?:${names.join('|').replaceAll('_', '[^a-z0-9]*')})[^a-z0-9]*$`, 'i')
}

/**
 * The names of secrets: the secret fields of all operations, their aliases in the dialect, and any name that ends with
 * one of these, such as `client_secret` or `privateKeyPem`. A name that harmless fields have too counts only in its own
 * operations.
 */
export class SecretNames {
  readonly #namesByOperation = new Map<OperationSchemas | null, Hidden['names']>()
  #pattern: RegExp | undefined

  constructor(
    readonly operations: readonly OperationSchemas[],
    readonly dialect: CommonDialect,
  ) {}

  has(name: string): boolean {
    // Few gateways need the pattern, and making it reads every schema.
    this.#pattern ??= createEndingPattern(this.#listNames())
    return this.#pattern.test(name)
  }

  /** Returns the secret names for an operation, including common names such as `value`; null is for a request of no operation. */
  of(operation: OperationSchemas | null): Hidden['names'] {
    // Every request needs the names, and schemas never change.
    const names = this.#namesByOperation.get(operation) ?? this.#createNames(operation)
    this.#namesByOperation.set(operation, names)
    return names
  }

  #createNames(operation: OperationSchemas | null): Hidden['names'] {
    const own = (operation ? [operation] : this.operations).flatMap((each) => listOperationSecretNames(each, true))
    if (own.length === 0) return this
    const pattern = createEndingPattern(own)
    return { has: (name) => pattern.test(name) || this.has(name) }
  }

  #listNames(): string[] {
    const names = new Set(this.operations.flatMap((each) => listOperationSecretNames(each, false)))
    const aliases = Object.values(this.dialect.fieldAliases).flatMap((group) => Object.entries(group))
    return [...names, ...aliases.flatMap(([alias, field]) => (names.has(field) ? [alias] : []))]
  }
}

/** The secrets to redact. */
export interface Hidden {
  /** The names of fields whose values are secret. */
  readonly names: Pick<SecretNames, 'has'>
  /** Texts that are secret wherever they are. */
  readonly values: SecretTexts
}

export const NO_NAMES: Hidden['names'] = { has: () => false }

/**
 * Returns a JSON value without its secrets: the values of secret fields, the secret texts, and private keys. Returns the
 * value itself if nothing is hidden.
 */
export function redact<T>(value: T, hidden: Hidden): T {
  return redactAt(value, hidden, 0) as T // Texts replace texts; a value with a type does not nest too deep.
}

function redactAt(value: unknown, hidden: Hidden, depth: number): unknown {
  if (typeof value === 'string') return withoutSecrets(value, hidden.values)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return `[nested more than ${MAX_DEPTH} levels deep]`
  if (Array.isArray(value)) {
    const items = value.map((item) => redactAt(item, hidden, depth + 1))
    return items.every((item, index) => Object.is(item, value[index])) ? value : items
  }
  let isSame = true
  const fields = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const redactedName = withoutSecrets(name, hidden.values)
    const redacted = hidden.names.has(name) ? inner && REDACTED : redactAt(inner, hidden, depth + 1)
    isSame &&= redactedName === name && Object.is(redacted, inner)
    return [redactedName, redacted]
  })
  return isSame ? value : Object.fromEntries(fields)
}

/** Returns a record without private keys and without these texts. */
export function withoutSecretTexts<T extends object>(record: T, values: SecretTexts): T {
  return redact(record, { names: NO_NAMES, values })
}

/** Returns the texts that a value has under secret names, at any depth. */
export function findSecrets(value: unknown, names: Hidden['names']): string[] {
  const found: string[] = []
  const seen = new Set<unknown>()
  const open = [{ value, isSecret: false }]
  // The list grows while it is read: a value can be nested deeper than functions can call one another.
  for (const { value: each, isSecret } of open) {
    if (typeof each === 'string' && isSecret) found.push(each)
    if (typeof each !== 'object' || each === null || seen.has(each)) continue
    seen.add(each)
    for (const [name, inner] of Object.entries(each)) {
      const isNamed = isSecret || names.has(name)
      if (isNamed || typeof inner === 'object') open.push({ value: inner, isSecret: isNamed })
    }
  }
  return found
}
