import type * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import { isSchema, listSchemas, marksOf, partsOf } from './schema-parts.ts'
import { COMMON_SECRETS, REDACTED, type Redactor, redactText } from './secret-texts.ts'

/** The maximum nesting depth. A string replaces deeper values. */
const MAX_DEPTH = 128

type AnySchema = v.GenericSchema

type Show = (value: unknown) => unknown

function isSecret(schema: AnySchema): boolean {
  return marksOf(schema).secret === true
}

/** Returns whether a schema, the schema of its items, or one of its alternatives is secret. */
function holdsSecret(schema: AnySchema): boolean {
  const { wrapped, item, items = [], rest, value, options = [] } = partsOf(schema)
  return isSecret(schema) || [wrapped, item, ...items, rest, value, ...options].filter(isSchema).some(holdsSecret)
}

/** Returns whether the field at a path, or a field that contains it, is secret. */
export function isSecretAt(schema: AnySchema, path: readonly unknown[]): boolean {
  if (path.length === 0 ? holdsSecret(schema) : isSecret(schema)) return true
  const { wrapped, entries, item, items = [], rest, value, options = [], pipe = [] } = partsOf(schema)
  if ([wrapped, ...options, ...pipe.slice(1)].filter(isSchema).some((each) => isSecretAt(each, path))) return true
  if (path.length === 0) return false
  const [key, ...further] = path
  const next = entries ? [entries[String(key)]] : [item, ...items, rest, value]
  return next.filter(isSchema).some((each) => isSecretAt(each, further))
}

/** Returns the names of the secret fields in a schema, either those with the `isCommonName` mark or those without it. */
function listSecretNames(schema: AnySchema, isCommon: boolean): string[] {
  const fields = [...listSchemas([schema])].flatMap((each) => Object.entries(partsOf(each).entries ?? {}))
  const secret = fields.filter(([, entry]) => holdsSecret(entry))
  return secret.filter(([, entry]) => isCommon === (marksOf(entry).isCommonName === true)).map(([name]) => name)
}

interface OperationSchemas {
  readonly body?: AnySchema
  readonly response?: AnySchema
}

/** Returns the functions that redact the fields of an operation that contain secrets, by field name. */
function listForms({ body, response }: OperationSchemas): [name: string, show: Show][] {
  const schemas = listSchemas([body, response].filter((each) => each !== undefined))
  return [...schemas]
    .flatMap((each) => Object.entries(partsOf(each).entries ?? {}))
    .flatMap(([name, entry]): [string, Show][] => {
      const show = findForm(entry)
      return show ? [[name, show]] : []
    })
}

/** Returns the redacting function of a field or of a step of its pipe. */
function findForm(schema: AnySchema): Show | undefined {
  const { wrapped, pipe = [] } = partsOf(schema)
  const inner = [wrapped, ...pipe.slice(1)].filter(isSchema).map(findForm)
  return marksOf(schema).shownAs ?? inner.find((each) => each !== undefined)
}

function listOperationSecretNames({ body, response }: OperationSchemas, isCommon: boolean): string[] {
  return [body, response].flatMap((schema) => (schema ? listSecretNames(schema, isCommon) : []))
}

function createEndingPattern(names: readonly string[]): RegExp {
  return new RegExp(`(?:${names.join('|').replaceAll('_', '[^a-z0-9]*')})[^a-z0-9]*$`, 'i')
}

/**
 * The names of secrets: common ones such as `password`, the secret fields of all operations, their aliases in the dialect, and any name that
 * ends in one of these names, such as `client_secret` or `privateKeyPem`. If harmless fields share a name, the name counts only in its own operations.
 */
export class SecretNames {
  readonly #namesByOperation = new Map<OperationSchemas | null, Redaction['names']>()
  #pattern: RegExp | undefined

  constructor(
    readonly operations: readonly OperationSchemas[],
    readonly fieldAliases: CommonDialect['fieldAliases'],
  ) {}

  has(name: string): boolean {
    // Created on first use, because it reads all schemas and few gateways need it.
    this.#pattern ??= createEndingPattern(this.#listNames())
    return this.#pattern.test(name)
  }

  /**
   * Returns the secret names for an operation, including common names such as `value`; pass null for a request that matches no operation.
   */
  of(operation: OperationSchemas | null): Redaction['names'] {
    // Cached, because every request needs the names and schemas never change.
    const names = this.#namesByOperation.get(operation) ?? this.#createNames(operation)
    this.#namesByOperation.set(operation, names)
    return names
  }

  #createNames(operation: OperationSchemas | null): Redaction['names'] {
    const own = (operation ? [operation] : this.operations).flatMap((each) => listOperationSecretNames(each, true))
    const forms = new Map((operation ? [operation] : this.operations).flatMap(listForms))
    if (own.length === 0 && forms.size === 0) return this
    const pattern = own.length === 0 ? undefined : createEndingPattern(own)
    return { has: (name) => pattern?.test(name) === true || this.has(name), formOf: (name) => forms.get(name) }
  }

  #listNames(): string[] {
    const names = new Set([
      ...COMMON_SECRETS,
      ...this.operations.flatMap((each) => listOperationSecretNames(each, false)),
    ])
    const aliases = Object.values(this.fieldAliases).flatMap((group) => Object.entries(group))
    return [...names, ...aliases.flatMap(([alias, field]) => (names.has(field) ? [alias] : []))]
  }
}

/** The secrets to redact in a value. */
export interface Redaction {
  /** The names of fields whose values are secret. */
  readonly names: Pick<SecretNames, 'has'> & {
    /** Returns the function that redacts a field that contains secrets. */
    formOf?(name: string): Show | undefined
  }
  /** Hides strings that are secret in any field. */
  readonly redactor: Redactor
  /** Headers that are shown even though their names look secret. */
  readonly shown?: readonly string[]
  /** Immutable list items that were already searched and contain no secrets. */
  readonly clean?: WeakSet<object>
}

export const NO_NAMES: Redaction['names'] = { has: () => false }

/**
 * Returns a JSON value without the values of secret fields, secret strings, and private keys. If there are none, returns the value itself.
 */
export function redact<T>(value: T, redaction: Redaction): T {
  return redactAt(value, redaction, 0) as T // Strings replace strings; a typed value is not nested too deeply.
}

function redactAt(value: unknown, redaction: Redaction, depth: number): unknown {
  if (typeof value === 'string') return redactText(value, redaction.redactor)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return `[nested more than ${MAX_DEPTH} levels deep]`
  if (Array.isArray(value)) {
    const items = value.map((item) => redactItem(item, redaction, depth + 1))
    return items.every((item, index) => Object.is(item, value[index])) ? value : items
  }
  let isSame = true
  const fields = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const redactedName = redactText(name, redaction.redactor)
    const show = redaction.names.formOf?.(name)
    const shown = show ? show(inner) : inner
    // An empty list, such as that of an absent header, can't contain a secret.
    const hasSecret = redaction.names.has(name) && shown && !(Array.isArray(shown) && shown.length === 0)
    const redacted = hasSecret ? REDACTED : redactAt(shown, redaction, depth + 1)
    isSame &&= redactedName === name && Object.is(redacted, inner)
    return [redactedName, redacted]
  })
  return isSame ? value : Object.fromEntries(fields)
}

function redactItem(item: unknown, redaction: Redaction, depth: number): unknown {
  const { clean } = redaction
  if (!clean || typeof item !== 'object' || item === null) return redactAt(item, redaction, depth)
  if (clean.has(item)) return item
  const redacted = redactAt(item, redaction, depth)
  if (redacted === item) clean.add(item)
  return redacted
}

/** Returns a record without private keys, and without the secrets of a redactor. `clean` must belong to the same redactor. */
export function redactRecord<T extends object>(record: T, redactor: Redactor, clean?: WeakSet<object>): T {
  return redact(record, { names: NO_NAMES, redactor, ...(clean && { clean }) })
}

/** Returns the strings under secret names in a value, at any depth. */
export function findSecrets(value: unknown, names: Redaction['names']): string[] {
  const found: string[] = []
  const seen = new Set<unknown>()
  const open = [{ value, isSecret: false }]
  // The list grows while the loop reads it. Recursion would overflow the stack, because values can be deeply nested.
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
