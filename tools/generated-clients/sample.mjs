// Creates values of the schemas of an OpenAPI document.

/** Returns a part of a document; for a reference, its target. */
const resolve = (part, document) =>
  part.$ref
    ? part.$ref
        .split('/')
        .slice(1)
        .reduce((at, name) => at[name], document)
    : part

/** Creates a value of a schema: its example, or the required fields and those with examples. */
export function createSample(schema, document, created = {}) {
  const {
    examples,
    enum: values,
    type,
    anyOf,
    properties,
    pattern,
    items,
    minItems,
    minimum,
    minLength = 0,
    ...more
  } = resolve(schema, document)
  if (examples) return examples[0]
  if (values) return values[0]
  if (anyOf) return createSample(anyOf[0], document, created)
  if (properties) {
    const sampleFields = Object.entries(properties).filter(
      ([name, each]) => more.required?.includes(name) || each.examples,
    )
    return Object.fromEntries(sampleFields.map(([name, each]) => [name, createSample(each, document, created)]))
  }
  const [kind] = [type].flat()
  if (kind === 'array') return minItems ? [createSample(items, document, created)] : []
  if (kind === 'object') return {}
  if (kind === 'integer' || kind === 'number') return minimum ?? 1
  if (kind === 'boolean') return true
  const prefix = findPrefix(pattern)
  return prefix ? (created[prefix] ?? `${prefix}_1`) : 'text'.padEnd(minLength, '-text')
}

/** Returns the prefix of an id, or of the pattern of an id. */
export const findPrefix = (text) => /(?:^|\^)([a-z]+)_/.exec(text)?.[1]
