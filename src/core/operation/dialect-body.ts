import { isSent, type SentBody } from '../schema/body.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { type CatalogueError, type Problem, type Problems, problem, Refusal, withFacts } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { quote } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'

/** Information about an operation's body that the dialect needs. */
interface BodyFacts {
  readonly name: string
  readonly group: string
  readonly fields: readonly string[]
  readonly wrappable: boolean
  readonly otherNames: OtherNames
}

/** A family's rules for fields that have other names in the dialect. */
export interface OtherNames {
  /** The error if a request uses both names of a field: the alias `field`, and `other`. Default: `field_invalid`. */
  readonly both?: CatalogueError<string, { field: string; other: string }>
  /** Returns the domain that is appended to a bare label, in dialects that accept labels. */
  labelsBelow?(dialect: CommonDialect): string
}

/** The aliases that the client used, by field, each with its bare label if the client sent a bare label. */
export type Aliases = ReadonlyMap<string, { readonly alias: string; readonly label: string | undefined }>

/** Unwraps a body from the dialect's envelope, drops the fields that the dialect ignores, and resolves the aliases. */
export function toStandardBody(
  sent: SentBody,
  facts: BodyFacts,
  dialect: CommonDialect,
  problems: Problems,
): { readonly body: SentBody; readonly aliases?: Aliases } {
  const { fieldAliases, ignoredFields, moduleEnvelope } = dialect
  const ignored = [...(ignoredFields[facts.group] ?? []), ...(ignoredFields[facts.name] ?? [])]
  const aliases = Object.keys(fieldAliases[facts.group] ?? {})
  const isWrapped = facts.wrappable && moduleEnvelope !== null && Object.hasOwn(sent, moduleEnvelope)
  if (!isWrapped && ![...ignored, ...aliases].some((name) => Object.hasOwn(sent, name))) return { body: sent }
  const body = isWrapped ? unwrap(sent, moduleEnvelope, facts.fields, problems) : { ...sent }
  for (const name of ignored) delete body[name]
  const used = resolveAliases(body, facts, dialect, problems)
  return used.size > 0 ? { body, aliases: used } : { body }
}

/** Unwraps a module from its envelope. Some clients send IDs next to the envelope. Other fields of the module are rejected there. */
function unwrap(
  sent: SentBody,
  envelope: string,
  fields: readonly string[],
  problems: Problems,
): Record<string, unknown> {
  const { [envelope]: inner, ...beside } = sent
  const refuse = (field: string, received: string, allowed: string) =>
    problems.add(() => problem(general.field_invalid, { field, received, allowed }))
  if (!isObject(inner)) refuse(envelope, quote(inner), 'an object')
  // Without a prototype, so a name such as `__proto__` is plain data.
  const module: Record<string, unknown> = Object.assign(Object.create(null), isObject(inner) ? inner : {})
  const merged: Record<string, unknown> = Object.assign(Object.create(null), module)
  for (const [field, value] of Object.entries(beside)) {
    // Messages do not show the values, which may be secret.
    if (fields.includes(field)) {
      if (isSent(value)) refuse(field, `outside "${envelope}"`, `fields inside "${envelope}", or no "${envelope}"`)
    } else if (isSent(value) && isSent(module[field]) && value !== module[field]) {
      refuse(field, `different inside and outside "${envelope}"`, 'the same in both places')
    } else if (isSent(value) || !(field in module)) merged[field] = value
  }
  return merged
}

function resolveAliases(
  body: Record<string, unknown>,
  { group, otherNames }: BodyFacts,
  dialect: CommonDialect,
  problems: Problems,
): Aliases {
  const aliases = new Map<string, { alias: string; label: string | undefined }>()
  for (const [alias, field] of Object.entries(dialect.fieldAliases[group] ?? {})) {
    const value = body[alias]
    delete body[alias]
    if (!isSent(value)) continue
    if (isSent(body[field])) {
      problems.add(() => createSentTwiceProblem(alias, field, otherNames.both))
      continue
    }
    const isLabel = typeof value === 'string' && !value.includes('.') && dialect.labelAliases[group]?.includes(alias)
    body[field] = isLabel && otherNames.labelsBelow ? `${value}.${otherNames.labelsBelow(dialect)}` : value
    aliases.set(field, { alias, label: isLabel ? value : undefined })
  }
  return aliases
}

function createSentTwiceProblem(alias: string, field: string, error: OtherNames['both']): Problem {
  if (error) return problem(error, { field: alias, other: field })
  const received = `sent together with "${field}", which is the same field`
  return problem(general.field_invalid, { field: alias, received, allowed: `${alias} or ${field}, not both` })
}

/** Runs work on a body. In errors, each field has the alias that the client used. */
export function withAliases<T>(aliases: Aliases, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Refusal ? error.mapProblems((each) => nameByAlias(each, aliases)) : error
  }
}

function nameByAlias(it: Problem, aliases: Aliases): Problem {
  const [name = '', ...below] = it.field?.split('.') ?? []
  const { alias, label } = aliases.get(name) ?? {}
  if (!alias) return it
  const received = label !== undefined && below.length === 0 ? { received: quote(label) } : {}
  return withFacts(it, { field: [alias, ...below].join('.'), ...received })
}
