import { accountErrors } from '../../core/operation/account.ts'
import type { Families, Family } from '../../core/operation/family.ts'
import { listOwnErrors, type Operation } from '../../core/operation/operation.ts'
import { type CatalogueError, describeReceived } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { isIdPrefix } from '../../core/schema/ids.ts'
import { createOptionError } from '../../core/schema/option-error.ts'
import { quote, toSnakeCase } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'

/** The names that families in tests cannot use. */
interface ReservedNames {
  readonly prefixes: readonly string[]
  readonly declarations: readonly string[]
}

/**
 * Checks that a test's families don't conflict with each other or with the built-in families. @throws TypeError that describes the mistake,
 * or names the family that already has the name, prefix, collection, or path.
 */
export function requireCompatibleFamilies(
  own: Families,
  builtIn: Families,
  { prefixes, declarations }: ReservedNames,
): void {
  const reserved = [...prefixes.map((each) => `prefix ${each}`), ...declarations.map((each) => `declaration ${each}`)]
  for (const [name, family] of Object.entries(own)) requireMadeByKit(name, family)
  const operations = listOperationNames({ ...builtIn, ...own })
  const taken = new Map(reserved.map((identifier) => [identifier, 'fauxgate itself']))
  for (const [name, family] of Object.entries(builtIn))
    for (const identifier of listIdentifiers(family)) taken.set(identifier, name)
  for (const [name, family] of Object.entries(own)) {
    if (Object.hasOwn(builtIn, name))
      throw new TypeError(`families.${name} has the same name as one of fauxgate's own families.`)
    requireNames(name, family)
    requireStatuses(name, family)
    requireKnownErrors(name, family)
    requireKnownOperations(name, family, operations)
    for (const identifier of listIdentifiers(family)) {
      const owner = taken.get(identifier)
      if (owner !== undefined)
        throw new TypeError(`families.${name} has the ${identifier}, which ${owner} already has.`)
      taken.set(identifier, name)
    }
    requireDueWork(name, family)
  }
  requireSameNames([...Object.values(builtIn), ...Object.values(own)])
}

function requireMadeByKit(name: string, family: unknown): void {
  if (isObject(family) && ['operations', 'collections', 'errors'].every((each) => each in family)) return
  const received = describeReceived(quote(family))
  throw createOptionError(
    (nameOf) => `${nameOf(`families.${name}`)} is ${received}. Allowed: a family created with fauxgate/kit.`,
  )
}

function listIdentifiers({ prefix, collections, operations, declares = {} }: Family): string[] {
  return [
    ...Object.keys(declares).map((name) => `declaration ${toSnakeCase(name)}`),
    ...(prefix === undefined ? [] : [`prefix ${prefix}`]),
    ...collections.map(({ name }) => `collection ${name}`),
    ...Object.values(operations).map(({ method, path }) => `operation ${method} ${withoutNames(path)}`),
  ]
}

/** Removes the parameter names from a path, because requests don't depend on them. */
function withoutNames(path: string): string {
  return path.replace(/\{\w+\}/g, '{}')
}

/** Checks the names of a family, its prefix, and its operations. Calls, the journal, and faults use the operations' names. */
function requireNames(name: string, { operations, prefix }: Family): void {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) {
    throw new TypeError(`A family is called ${quote(name)}. Allowed: a letter a to z, then letters and digits.`)
  }
  if (prefix !== undefined && !isIdPrefix(prefix)) {
    throw new TypeError(
      `families.${name} has the prefix ${quote(prefix)}. Allowed: a letter a to z, then letters and digits.`,
    )
  }
  for (const [verb, operation] of Object.entries(operations)) {
    const wanted = `${toSnakeCase(name)}.${toSnakeCase(verb)}`
    if (operation.name !== wanted) {
      throw new TypeError(
        `families.${name}.${verb} is named ${quote(operation.name)}. Rename it to "${wanted}", or give the family another key.`,
      )
    }
    requirePath(operation)
  }
}

function requirePath({ name, path, ids }: Operation): void {
  if (!/^(\/([\w.~-]+|\{\w+\}))+$/.test(path) || path.startsWith('/_fauxgate')) {
    throw new TypeError(
      `${name} has the path ${quote(path)}. Allowed: segments such as "/widgets/{id}", without "/_fauxgate" at the start.`,
    )
  }
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => String(id))
  const described = Object.keys(ids)
  if (inPath.length === described.length && inPath.every((id) => described.includes(id))) return
  const list = (names: readonly string[]) => names.join(', ') || 'none'
  throw new TypeError(
    `${name} has the IDs ${list(described)}, but its path ${path} has ${list(inPath)}. Describe each ID of the path in \`ids\`.`,
  )
}

function listOperationNames(all: Families): Set<string> {
  return new Set(Object.values(all).flatMap(({ operations }) => Object.values(operations).map(({ name }) => name)))
}

function requireKnownOperations(family: string, { before = {} }: Family, operations: ReadonlySet<string>): void {
  const unknown = Object.keys(before).find((name) => !operations.has(name))
  if (unknown !== undefined) {
    throw new TypeError(
      `families.${family} has rules before ${quote(unknown)}. Allowed: names of operations, such as "reserved_domains.delete".`,
    )
  }
}

/** Checks that a family with due records has `onDue`, and vice versa. */
function requireDueWork(name: string, { collections, onDue }: Family): void {
  const hasDue = collections.some(({ due }) => due !== undefined)
  if (hasDue && !onDue) throw new TypeError(`families.${name} has a collection with \`due\`, but no \`onDue\`.`)
  if (!hasDue && onDue) throw new TypeError(`families.${name} has \`onDue\`, but no collection with \`due\`.`)
}

/** Checks that the HTTP status of an error is not a success status. */
function requireStatuses(name: string, { errors }: Family): void {
  for (const { key, status } of Object.values(errors)) {
    if (Number.isInteger(status) && status >= 400 && status <= 599) continue
    throw new TypeError(`families.${name} has the error ${key} with status ${quote(status)}. Allowed: 400 to 599.`)
  }
}

/** Checks that all errors are in the catalogue because faults, documents, and dialects know only those errors. */
function requireKnownErrors(family: string, { operations, before = {}, apiKeys, errors }: Family): void {
  const known = new Set([general, accountErrors, errors].flatMap((group): CatalogueError[] => Object.values(group)))
  const refusals = [
    ...Object.values(operations).map((each) => [each.name, listOwnErrors(each)] as const),
    ...Object.entries(before).map(([name, { errors }]) => [name, errors] as const),
    ['judge', apiKeys?.errors ?? []] as const,
  ]
  for (const [name, errors] of refusals) {
    const missing = errors.find((error) => !known.has(error))
    if (missing) throw new TypeError(`${name} can reject with ${missing.key}. Add it to the errors of ${family}.`)
  }
}

/** Checks that operations on the same path use the same names for its IDs. */
function requireSameNames(families: readonly Family[]): void {
  const paths = new Map<string, string>()
  for (const { name, path } of families.flatMap((family) => Object.values(family.operations))) {
    const before = paths.get(withoutNames(path)) ?? path
    paths.set(withoutNames(path), before)
    if (before !== path) throw new TypeError(`${name} has the path ${path}, which is already ${before}.`)
  }
}
