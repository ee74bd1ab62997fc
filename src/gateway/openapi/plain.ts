import { mapValues } from '../../core/schema/values.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * Simplifies a schema for client generators. Some generators make a field with a `default` required, so the description states the default
 * instead. If a string can also have unknown values, the description lists the known values, unless the pattern does.
 */
export function simplify(schema: JsonSchema): JsonSchema {
  const { default: standard, listed, description, properties, items, anyOf, additionalProperties, ...rest } = schema
  const { propertyNames: names, ...json } = rest
  const words = [description, describeListed(listed, rest.pattern), describeDefault(standard, description)].filter(
    (each) => each !== undefined,
  )
  return {
    ...json,
    ...(words.length > 0 && { description: words.join(' ') }),
    ...(properties && { properties: mapValues(properties, simplify) }),
    ...(items && { items: simplify(items) }),
    ...(anyOf && { anyOf: anyOf.map(simplify) }),
    ...(names && { propertyNames: simplify(names) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? simplify(additionalProperties) : additionalProperties,
    }),
  }
}

/** Returns the sentence about the known values, unless the pattern lists them already. */
function describeListed(listed: readonly string[] | undefined, pattern = ''): string | undefined {
  const isInPattern = listed?.every((each) => pattern.includes(each))
  return isInPattern === false ? `One of ${listed?.map(formatCode).join(', ')}.` : undefined
}

/** Returns the sentence about a default, or undefined if there is no default or it is an empty string, list, or object. */
function describeDefault(standard: unknown, description = ''): string | undefined {
  const isNothing = standard === undefined || ['""', '[]', '{}'].includes(JSON.stringify(standard))
  return isNothing || /\bdefault\b/i.test(description) ? undefined : `Default: ${formatCode(standard)}.`
}

function formatCode(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}
