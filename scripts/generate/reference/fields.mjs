// Fields of JSON Schemas as tables of a Markdown page.
import { table } from '../markdown.ts'

/** Returns the name of a schema in a reference to it. */
const nameIn = ({ $ref }) => $ref?.split('/').at(-1)

const link = (name) => `[${name}](#${name.toLowerCase()})`

/** Returns a type in words, such as "list of [EndpointRule](#endpointrule)". */
export function typeOf(json) {
  if (json.$ref) return link(nameIn(json))
  if (json.anyOf?.some((each) => each.type === 'null')) return `${typeOf(json.anyOf[0])} or null`
  const types = [json.type ?? []].flat()
  const names = types.map((type) => {
    if (type === 'array') return json.items ? `list of ${several(typeOf(json.items))}` : 'list'
    if (type === 'object' && json.additionalProperties) return `map of ${several(typeOf(json.additionalProperties))}`
    return json.const === undefined ? type : code(json.const)
  })
  if (names.length > 0) return names.join(' or ')
  return json.const === undefined ? 'any JSON' : code(json.const)
}

const several = (type) => (/^(string|integer|number|object)\b/.test(type) ? type.replace(/^\w+/, '$&s') : type)

const code = (value) => `\`${JSON.stringify(value)}\``

/** Returns the limits of a value beside its type. */
function limitsOf(json) {
  const { description = '', minimum, maximum, minItems, maxLength, pattern, format, 'x-refused-as': refusals } = json
  const isSaid = (value) => description.includes(`\`${value}\``)
  const shown = json.enum?.filter((value) => value !== null && value !== '')
  return [
    json.deprecated && 'Deprecated.',
    shown && !shown.every(isSaid) && `One of ${shown.map((value) => `\`${value}\``).join(', ')}.`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    minimum !== undefined && maximum === undefined && `At least ${minimum}.`,
    minItems !== undefined && `At least ${minItems}.`,
    maxLength !== undefined && !/bytes|KiB/.test(description) && `At most ${maxLength} characters.`,
    pattern !== undefined && idOf(pattern, description),
    format === 'date-time' && 'RFC 3339.',
    refusals && `Refused as ${refusals.map((key) => `[${key}](error-catalogue.md#${key})`).join(', ')}.`,
  ].filter(Boolean)
}

/** Returns the prefix in the pattern of an id, unless the description has it. */
function idOf(pattern, description) {
  const prefix = /\^([a-z][a-z0-9]*)_\[0-9A-Za-z\]\{1,64\}\$$/.exec(pattern)?.[1]
  return prefix && !description.includes(`\`${prefix}_`) && `An id \`${prefix}_…\`.`
}

/** Returns a table of the fields of an object. `more` are fields that another dialect has. */
export function fieldTable({ properties = {}, required = [] }, more = {}) {
  const row = ([name, json], also) => {
    const must = required.includes(name) && !also ? ' (required)' : ''
    const sentences = [json.description, ...limitsOf(json), also && 'Only in the dialect `ngrok`.']
    return [`\`${name}\``, `${typeOf(json)}${must}`, sentences.filter(Boolean).join(' ')]
  }
  const rows = [
    ...Object.entries(properties).map((entry) => row(entry, false)),
    ...Object.entries(more).map((entry) => row(entry, true)),
  ]
  return rows.length === 0 ? 'No fields.' : table(['field', 'type', ''], rows)
}

/** Returns the names of all schemas that a value refers to, at any depth, in the order in which they are met. */
export function namesIn(value, schemas, found = new Set()) {
  if (typeof value !== 'object' || value === null) return found
  const name = typeof value.$ref === 'string' && value.$ref.includes('/schemas/') ? nameIn(value) : undefined
  if (name && name !== 'Error' && !found.has(name)) {
    found.add(name)
    namesIn(schemas[name], schemas, found)
  }
  for (const inner of Object.values(value)) namesIn(inner, schemas, found)
  return found
}
