import { isGiven } from '../schema/body.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { type CatalogueError, type Problem, problem, Refusal } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { quote } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'

/** What the dialect has to know of an operation to read its bodies. */
export interface DialectWords {
  /** The operation, such as `reserved_domains.create`. */
  readonly operation: string
  /** Its group, such as `reserved_domains`. */
  readonly group: string
  /** The fields of its body. */
  readonly fields: readonly string[]
  /** Whether its body may be in the dialect's envelope. */
  readonly wrappable: boolean
  readonly otherNames: OtherNames
}

/** What a family says of fields for which the dialect has other names. */
export interface OtherNames {
  /** The error of one that was sent under both: under the alias `field`, and as `other`. Default: `field_invalid`. */
  readonly both?: CatalogueError<string, { field: string; other: string }>
  /** The name below which a bare label stands, where the dialect takes one. */
  labelsBelow?(dialect: CommonDialect): string
}

/** A body in the fields of its operation. */
export interface PlainBody {
  readonly body: unknown
  /** What the client called the fields for which it used other names; undefined for none. */
  readonly called: Called | undefined
  /** What the dialect refuses in the body. */
  readonly problems: readonly Problem[]
}

/** Fields under their own names, with the alias that the client used and, of a bare label, that label. */
export type Called = ReadonlyMap<string, { readonly alias: string; readonly label: string | undefined }>

const NO_PROBLEMS: readonly Problem[] = []

/** Takes a body out of the dialect's envelope, applies its other field names and drops the fields it ignores. */
export function plainBody(raw: unknown, words: DialectWords, dialect: CommonDialect): PlainBody {
  const { operation, group, wrappable } = words
  const aliases = dialect.fieldAliases[group]
  const ignored = dialect.ignoredFields[group]
  const ignoredHere = dialect.ignoredFields[operation]
  const isWrapped = wrappable && dialect.moduleEnvelope !== null
  if ((!aliases && !ignored && !ignoredHere && !isWrapped) || !isObject(raw)) {
    return { body: raw, called: undefined, problems: NO_PROBLEMS }
  }
  const problems: Problem[] = []
  const body = isWrapped ? unwrapped(raw, dialect.moduleEnvelope, words.fields, problems) : { ...raw }
  for (const name of [...(ignored ?? []), ...(ignoredHere ?? [])]) delete body[name]
  const called = aliases && withoutAliases(body, words, dialect, problems)
  return { body, called, problems }
}

/**
 * Takes a module out of the envelope that some clients wrap it in; ids beside it stay. What is beside it besides is
 * refused: fields of the module here, all others where unknown fields are.
 */
function unwrapped(
  body: Readonly<Record<string, unknown>>,
  envelope: string | null,
  fields: readonly string[],
  problems: Problem[],
): Record<string, unknown> {
  if (envelope === null || !Object.hasOwn(body, envelope)) return { ...body }
  const { [envelope]: inner, ...beside }: Record<string, unknown> = body
  for (const field of fields) {
    if (!Object.hasOwn(beside, field)) continue
    // Not its value, which may be a secret.
    const received = `beside "${envelope}"`
    const allowed = `fields inside "${envelope}", or none of it`
    if (isGiven(beside[field])) problems.push(problem(general.field_invalid, { field, received, allowed }))
    delete beside[field]
  }
  if (isObject(inner)) return besideOneAnother(beside, inner, envelope, problems)
  problems.push(problem(general.field_invalid, { field: envelope, received: quote(inner), allowed: 'an object' }))
  return beside
}

/** What stands inside an envelope and beside it: of what is in both places, as ids may be, neither is passed over. */
function besideOneAnother(
  beside: Readonly<Record<string, unknown>>,
  inner: Readonly<Record<string, unknown>>,
  envelope: string,
  problems: Problem[],
): Record<string, unknown> {
  const given = Object.entries(beside).filter(([field, value]) => isGiven(value) || !Object.hasOwn(inner, field))
  for (const [field, value] of given) {
    if (!Object.hasOwn(inner, field) || !isGiven(inner[field]) || value === inner[field]) continue
    const received = `another one in "${envelope}" than beside it`
    problems.push(problem(general.field_invalid, { field, received, allowed: 'the same in both places' }))
  }
  return { ...inner, ...Object.fromEntries(given) }
}

/** Moves what stands under an alias to its field. Answers what was moved. */
function withoutAliases(
  body: Record<string, unknown>,
  { group, otherNames }: DialectWords,
  dialect: CommonDialect,
  problems: Problem[],
): Called | undefined {
  const { fieldAliases, labelAliases } = dialect
  let called: Map<string, { alias: string; label: string | undefined }> | undefined
  for (const [alias, field] of Object.entries(fieldAliases[group] ?? {})) {
    const sent = body[alias]
    delete body[alias]
    if (!isGiven(sent)) continue
    if (isGiven(body[field])) {
      problems.push(sentTwice(alias, field, otherNames.both))
      continue
    }
    const isLabel = typeof sent === 'string' && !sent.includes('.') && labelAliases[group]?.includes(alias)
    body[field] = isLabel && otherNames.labelsBelow ? `${sent}.${otherNames.labelsBelow(dialect)}` : sent
    called ??= new Map()
    called.set(field, { alias, label: isLabel ? sent : undefined })
  }
  return called
}

function sentTwice(alias: string, field: string, error: OtherNames['both']): Problem {
  if (error) return problem(error, { field: alias, other: field })
  const received = `beside "${field}", which it is another name of`
  return problem(general.field_invalid, { field: alias, received, allowed: `${alias} or ${field}, not both` })
}

/** Runs work on a body; what it refuses names the fields as the client called them. */
export function inWordsOf<T>(called: Called | undefined, work: () => T): T {
  if (!called) return work()
  try {
    return work()
  } catch (error) {
    throw error instanceof Refusal ? error.worded((each) => reworded(each, called)) : error
  }
}

function reworded(it: Problem, called: Called): Problem {
  const [own, ...below] = it.field?.split('.') ?? []
  const name = own === undefined ? undefined : called.get(own)
  if (!name || !it.withFacts) return it
  const field = [name.alias, ...below].join('.')
  const received = name.label !== undefined && below.length === 0 ? { received: quote(name.label) } : {}
  return it.withFacts({ field, ...received })
}
