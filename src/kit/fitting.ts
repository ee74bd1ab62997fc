import { accountErrors } from '../operation/account.ts'
import type { Families, Family } from '../operation/family.ts'
import type { Operation } from '../operation/operation.ts'
import { errorsIn } from '../schema/documentation.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { isIdPrefix } from '../schema/ids.ts'
import { quote, snakeCase } from '../schema/text.ts'

/** The names that own families cannot use. */
interface Reserved {
  readonly prefixes: readonly string[]
  readonly declarations: readonly string[]
}

/**
 * Checks that the families of a test fit together with the built-in ones, so that none hides or changes another.
 * @throws TypeError that says what is wrong, or which family uses the same name, prefix, collection or path.
 */
export function requireFitting(own: Families, builtIn: Families, { prefixes, declarations }: Reserved): void {
  const reserved = [...prefixes.map((each) => `prefix ${each}`), ...declarations.map((each) => `declaration ${each}`)]
  const operations = namesOf({ ...builtIn, ...own })
  const taken = new Map(reserved.map((fact) => [fact, 'fauxgate itself']))
  for (const [name, family] of Object.entries(builtIn)) for (const fact of factsOf(family)) taken.set(fact, name)
  for (const [name, family] of Object.entries(own)) {
    if (Object.hasOwn(builtIn, name))
      throw new TypeError(`families.${name} has the name of a family of fauxgate's own.`)
    requireNames(name, family)
    requireKnownErrors(name, family)
    requireKnownOperations(name, family, operations)
    for (const fact of factsOf(family)) {
      const by = taken.get(fact)
      if (by !== undefined) throw new TypeError(`families.${name} has the ${fact}, which ${by} has already.`)
      taken.set(fact, name)
    }
  }
  requireSameNames([...Object.values(builtIn), ...Object.values(own)])
}

function factsOf({ prefix, collections, operations, declares = {} }: Family): string[] {
  return [
    ...Object.keys(declares).map((name) => `declaration ${snakeCase(name)}`),
    ...(prefix === undefined ? [] : [`prefix ${prefix}`]),
    ...collections.map(({ name }) => `collection ${name}`),
    ...Object.values(operations).map(({ method, path }) => `operation ${method} ${withoutNames(path)}`),
  ]
}

/** Requests find a path whatever its parameters are called. */
function withoutNames(path: string): string {
  return path.replace(/\{\w+\}/g, '{}')
}

/** Calls, journal and faults name operations; their names follow from the family's and their own. */
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
    const wanted = `${snakeCase(name)}.${snakeCase(verb)}`
    if (operation.name !== wanted) {
      throw new TypeError(`families.${name}.${verb} is named ${quote(operation.name)}. Its name must be "${wanted}".`)
    }
    requirePath(operation)
  }
}

function requirePath({ name, path }: Operation): void {
  if (/^(\/([\w.~-]+|\{\w+\}))+$/.test(path) && !path.startsWith('/_fauxgate')) return
  throw new TypeError(`${name} has the path ${quote(path)}. Allowed: segments such as "/widgets/{id}".`)
}

function namesOf(all: Families): Set<string> {
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

/** Faults, documents and dialects know only the errors of the catalogue. */
function requireKnownErrors(family: string, { operations, before = {}, apiKeys, errors }: Family): void {
  const known = new Set([general, accountErrors, errors].flatMap((group): CatalogueError[] => Object.values(group)))
  const refusals = [
    ...Object.values(operations).map((each) => [each.name, ownErrorsOf(each)] as const),
    ...Object.entries(before).map(([name, { errors }]) => [name, errors] as const),
    ['judge', apiKeys?.errors ?? []] as const,
  ]
  for (const [name, errors] of refusals) {
    const missing = errors.find((error) => !known.has(error))
    if (missing) throw new TypeError(`${name} can refuse with ${missing.key}: give it to the errors of ${family}.`)
  }
}

/** Returns the errors of an operation without the general ones that every operation of its kind has. */
function ownErrorsOf({ body, query, errors = [] }: Operation): CatalogueError[] {
  return [...errors, ...[body, query].flatMap((each) => (each ? [...errorsIn(each)] : []))]
}

/** Operations at one path find its ids by the same names. */
function requireSameNames(families: readonly Family[]): void {
  const paths = new Map<string, string>()
  for (const { name, path } of families.flatMap((family) => Object.values(family.operations))) {
    const before = paths.get(withoutNames(path)) ?? path
    paths.set(withoutNames(path), before)
    if (before !== path) throw new TypeError(`${name} has the path ${path}, which is ${before} already.`)
  }
}
