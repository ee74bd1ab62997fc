import type * as v from 'valibot'
import type { Dialect } from './dialect.ts'
import { REDACTED, readings } from './private-key-text.ts'
import { withoutSecrets } from './secret-values.ts'

/** Deeper values are named instead of shown, whatever holds them. */
const DEEPEST = 64

type AnySchema = v.GenericSchema

interface SchemaParts {
  readonly wrapped?: AnySchema
  readonly item?: AnySchema
  readonly value?: AnySchema
  readonly entries?: Readonly<Record<string, AnySchema>>
  readonly options?: readonly (AnySchema | string)[]
  readonly pipe?: readonly { readonly metadata?: { readonly secret?: boolean }; readonly wrapped?: AnySchema }[]
}

/** Whether a field's schema says that its value is secret. */
export function isSecret(schema: AnySchema): boolean {
  const { wrapped, pipe } = schema as SchemaParts
  return pipe?.some((step) => step.metadata?.secret === true) || (wrapped !== undefined && isSecret(wrapped))
}

/** The names of all fields in a schema that are secret. */
export function secretNames(schema: AnySchema): string[] {
  const { wrapped, item, value, entries, options } = schema as SchemaParts
  const inner = [wrapped, item, value, ...(options ?? [])].filter((each) => typeof each === 'object')
  return [
    ...Object.entries(entries ?? {}).flatMap(([name, entry]) => (isSecret(entry) ? [name] : secretNames(entry))),
    ...inner.flatMap((each) => secretNames(each)),
  ]
}

/** A value of a schema as it may leave the gateway: without its secret texts. */
export function withoutSecretFields<T>(schema: AnySchema, value: T): T {
  const { wrapped, item, entries } = schema as SchemaParts
  if (isSecret(schema)) return (value && REDACTED) as T
  if (wrapped) return withoutSecretFields(wrapped, value)
  if (item && Array.isArray(value)) return value.map((each) => withoutSecretFields(item, each)) as T
  if (!entries || typeof value !== 'object' || value === null) return value
  const copy = { ...value } as Record<string, unknown>
  for (const [name, entry] of Object.entries(entries)) {
    if (Object.hasOwn(copy, name)) copy[name] = withoutSecretFields(entry, copy[name])
  }
  return copy as T
}

/** What is known of the operations whose secrets are looked for. */
interface Declared {
  readonly body?: AnySchema
  readonly response?: AnySchema
}

/**
 * Makes the test of whether a key names a secret: it is, or ends with, the name of a secret field of any operation, or
 * the dialect's other name of one; however its words are written, such as `client_secret` or `privateKeyPem`. What the
 * operations declare is looked at when the test is first used.
 */
export function secretTest(operations: readonly Declared[], dialect: Dialect): (key: string) => boolean {
  let test: RegExp | undefined
  return (key) => {
    test ??= nameTest(new Set(operations.flatMap(({ body, response }) => [body, response].flatMap(namesIn))), dialect)
    return test.test(key) || (/[%\\]/.test(key) && [...readings(key)].some((reading) => test?.test(reading)))
  }
}

function namesIn(schema: AnySchema | undefined): string[] {
  return schema ? secretNames(schema) : []
}

function nameTest(declared: ReadonlySet<string>, { fieldAliases }: Dialect): RegExp {
  const aliases = Object.values(fieldAliases).flatMap((group) => Object.entries(group))
  const names = [...declared, ...aliases.filter(([, field]) => declared.has(field)).map(([alias]) => alias)]
  if (names.length === 0) return /(?!)/
  const words = names.map((name) => name.replace(/[^a-z0-9]+/gi, '[^a-z0-9]*'))
  return new RegExp(`(?:${words.join('|')})[^a-z0-9]*$`, 'i')
}

/** What is to be hidden. */
export interface Hidden {
  /** Whether a key names a secret. */
  readonly isSecretName: (key: string) => boolean
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

/** After a text in which a private key begins, the further texts of a list may be its lines. */
function redactedList(list: readonly unknown[], hidden: Hidden, depth: number): unknown {
  let isKey = false
  const copy = list.map((item) => {
    if (isKey && typeof item === 'string') return REDACTED
    const shown = redacted(item, hidden, depth + 1)
    isKey ||= typeof item === 'string' && shown !== item
    return shown
  })
  return copy.some((item, index) => !Object.is(item, list[index])) ? copy : list
}

function redactedFields(fields: object, hidden: Hidden, depth: number): unknown {
  let isSame = true
  const copy = Object.entries(fields).map(([name, value]) => {
    const key = withoutSecrets(name, hidden.values)
    const shown = hidden.isSecretName(name) ? value && REDACTED : redacted(value, hidden, depth + 1)
    isSame &&= key === name && Object.is(shown, value)
    return [key, shown] as const
  })
  return isSame ? fields : Object.fromEntries(copy)
}

/** The texts that a JSON value holds under secret names, at any depth. */
export function secretsIn(value: unknown, isSecretName: (key: string) => boolean): string[] {
  const found: string[] = []
  const open: { value: unknown; isSecret: boolean }[] = [{ value, isSecret: false }]
  for (let at = open.pop(); at; at = open.pop()) {
    const { value: each, isSecret } = at
    if (typeof each === 'string' && isSecret) found.push(each)
    if (typeof each !== 'object' || each === null) continue
    for (const [name, inner] of Object.entries(each)) {
      const inSecret = isSecret || (!Array.isArray(each) && isSecretName(name))
      if (inSecret || typeof inner === 'object') open.push({ value: inner, isSecret: inSecret })
    }
  }
  return found
}
