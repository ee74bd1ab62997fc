import { mapValues } from '../schema/values.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * Returns a schema in the form that generators of clients support. Some generators make a field with a `default` required, so
 * the description states the default. It also lists the known values of a text that allows others.
 */
export function plain(schema: JsonSchema): JsonSchema {
  const { default: standard, listed, description, properties, items, anyOf, additionalProperties, ...rest } = schema
  const { propertyNames: names, ...json } = rest
  const words = [description, listedIn(listed), defaultIn(standard, description)].filter((each) => each !== undefined)
  return {
    ...json,
    ...(words.length > 0 && { description: words.join(' ') }),
    ...(properties && { properties: mapValues(properties, plain) }),
    ...(items && { items: plain(items) }),
    ...(anyOf && { anyOf: anyOf.map(plain) }),
    ...(names && { propertyNames: plain(names) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? plain(additionalProperties) : additionalProperties,
    }),
  }
}

function listedIn(listed: readonly string[] | undefined): string | undefined {
  return listed && `One of ${listed.map(code).join(', ')}.`
}

/** Returns the sentence about a default; undefined if there is none, or if it is an empty text, list or object. */
function defaultIn(standard: unknown, description = ''): string | undefined {
  const isNothing = standard === undefined || ['""', '[]', '{}'].includes(JSON.stringify(standard))
  return isNothing || /\bdefault\b/i.test(description) ? undefined : `Default: ${code(standard)}.`
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}
