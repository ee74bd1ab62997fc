import type { Families, Family } from '../operation/family.ts'
import { errorsOf, type Operation } from '../operation/operation.ts'
import { general } from '../schema/general-errors.ts'
import { isIdPrefix } from '../schema/ids.ts'
import { quote } from '../schema/text.ts'

/**
 * Checks that families of a test's own fit beside the built-in ones, so that nothing of one hides or changes another.
 * @throws TypeError that says what is wrong, or which family uses the same name, prefix, collection or path.
 */
export function requireFitting(own: Families, builtIn: Families, reservedPrefixes: readonly string[]): void {
  const taken = new Map(reservedPrefixes.map((prefix) => [`prefix ${prefix}`, 'fauxgate itself']))
  for (const [name, family] of Object.entries(builtIn)) for (const fact of factsOf(family)) taken.set(fact, name)
  for (const [name, family] of Object.entries(own)) {
    if (Object.hasOwn(builtIn, name))
      throw new TypeError(`families.${name} has the name of a family of fauxgate's own.`)
    requireNames(name, family)
    requireKnownErrors(name, family)
    for (const fact of factsOf(family)) {
      const by = taken.get(fact)
      if (by !== undefined) throw new TypeError(`families.${name} has the ${fact}, which ${by} has already.`)
      taken.set(fact, name)
    }
  }
  requireOneNamePerPlace([...Object.values(builtIn), ...Object.values(own)])
}

function factsOf({ prefix, collections, operations }: Family): string[] {
  return [
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
    throw new TypeError(`families.${name} has the prefix ${quote(prefix)}. Allowed: letters a to z.`)
  }
  for (const [verb, operation] of Object.entries(operations)) {
    const wanted = `${snakeCase(name)}.${snakeCase(verb)}`
    if (operation.name !== wanted) {
      throw new TypeError(`families.${name}.${verb} is named ${quote(operation.name)}. Its name must be "${wanted}".`)
    }
    requirePath(operation)
  }
}

function snakeCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function requirePath({ name, path }: Operation): void {
  if (/^(\/([\w.~-]+|\{\w+\}))+$/.test(path) && !path.startsWith('/_fauxgate')) return
  throw new TypeError(`${name} has the path ${quote(path)}. Allowed: segments such as "/widgets/{id}".`)
}

/** Faults, documents and dialects know only the errors of the catalogue. */
function requireKnownErrors(family: string, { operations, errors }: Family): void {
  const known = new Set([...Object.values(general), ...Object.values(errors)])
  for (const operation of Object.values(operations)) {
    const missing = errorsOf(operation).find((error) => !known.has(error))
    if (missing)
      throw new TypeError(`${operation.name} can refuse with ${missing.key}: give it to the errors of ${family}.`)
  }
}

/** Requests find the ids of a path by their place, so a place has one name. */
function requireOneNamePerPlace(families: readonly Family[]): void {
  const names = new Map<string, string>()
  for (const { name, path } of families.flatMap((family) => Object.values(family.operations))) {
    for (const { index, 0: parameter } of path.matchAll(/\{\w+\}/g)) {
      const place = withoutNames(path.slice(0, index))
      const before = names.get(place) ?? parameter
      names.set(place, before)
      if (before !== parameter)
        throw new TypeError(`${name} calls ${parameter} in ${path} what is called ${before} already.`)
    }
  }
}
