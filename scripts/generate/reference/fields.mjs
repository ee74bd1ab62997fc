// Formats the fields of JSON Schemas as tables of a Markdown page.
import { table } from '../markdown.ts'

/** Returns the name of a schema in a reference to it. */
const findName = ({ $ref }) => $ref?.split('/').at(-1)

const formatLink = (name) => `[${name}](#${name.toLowerCase()})`

/** Formats a type in words, such as "list of [EndpointRule](#endpointrule)". */
export function formatType(json) {
  if (json.$ref) return formatLink(findName(json))
  if (json.anyOf?.some((each) => each.type === 'null')) return `${formatType(json.anyOf[0])} or null`
  const types = [json.type ?? []].flat()
  const names = types.map((type) => {
    if (type === 'array') return json.items ? `list of ${pluralize(formatType(json.items))}` : 'list'
    if (type === 'object' && json.additionalProperties)
      return `map of ${pluralize(formatType(json.additionalProperties))}`
    return json.const === undefined ? type : formatCode(json.const)
  })
  if (names.length > 0) return names.join(' or ')
  return json.const === undefined ? 'any JSON' : formatCode(json.const)
}

const pluralize = (type) => (/^(string|integer|number|object)\b/.test(type) ? type.replace(/^\w+/, '$&s') : type)

const formatCode = (value) => `\`${JSON.stringify(value)}\``

/** Returns the limits of a value, except its type. */
function listLimits(json) {
  const { description = '', minimum, maximum, minItems, maxLength, pattern, format, 'x-refused-as': refusals } = json
  const isDescribed = (value) => description.includes(`\`${value}\``)
  const allowedValues = json.enum?.filter((value) => value !== null && value !== '')
  return [
    json.deprecated && 'Deprecated.',
    allowedValues &&
      !allowedValues.every(isDescribed) &&
      `One of ${allowedValues.map((value) => `\`${value}\``).join(', ')}.`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    minimum !== undefined && maximum === undefined && `At least ${minimum}.`,
    minItems !== undefined && `At least ${minItems}.`,
    maxLength !== undefined && !/bytes|KiB/.test(description) && `At most ${maxLength} characters.`,
    pattern !== undefined && formatIdLimit(pattern, description),
    format === 'date-time' && 'RFC 3339.',
    refusals && `Refused as ${refusals.map((key) => `[${key}](error-catalogue.md#${key})`).join(', ')}.`,
  ].filter(Boolean)
}

/** Formats the prefix in the pattern of an id, unless the description has it. */
function formatIdLimit(pattern, description) {
  const prefix = /\^([a-z][a-z0-9]*)_\[0-9A-Za-z\]\{1,64\}\$$/.exec(pattern)?.[1]
  return prefix && !description.includes(`\`${prefix}_`) && `An id \`${prefix}_…\`.`
}

/** Formats a table of the fields of an object. */
export function formatFieldTable({ properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([name, json]) => {
    const must = required.includes(name) ? ' (required)' : ''
    return [
      `\`${name}\``,
      `${formatType(json)}${must}`,
      [json.description, ...listLimits(json)].filter(Boolean).join(' '),
    ]
  })
  return rows.length === 0 ? 'No fields.' : table(['field', 'type', ''], rows)
}

/** Returns the names of all schemas that a value refers to, at any depth, in the order of their first use. */
export function listNames(value, schemas, found = new Set()) {
  if (typeof value !== 'object' || value === null) return found
  const name = typeof value.$ref === 'string' && value.$ref.includes('/schemas/') ? findName(value) : undefined
  if (name && name !== 'Error' && !found.has(name)) {
    found.add(name)
    listNames(schemas[name], schemas, found)
  }
  for (const inner of Object.values(value)) listNames(inner, schemas, found)
  return found
}
