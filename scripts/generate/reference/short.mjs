// Creates docs/reference.md, the reference in the package: every operation, field and error of ngrok's API on one page.
import { table } from '../markdown.ts'
import { listNames } from './fields.mjs'
import { errorsOf, filterByTag, findCommonErrors, findErrorsOfAll, NOTE, titleOf } from './pages.mjs'

/** Fields that most resources have. The page explains them once. */
const COMMON = ['id', 'uri', 'created_at', 'updated_at', 'description', 'metadata', 'next_page_uri']

/** Returns the page about the operations of the service. */
export function formatShortPage(whole) {
  const groups = whole.tags.filter(({ name }) => name !== 'controls')
  const errors = sortErrors(whole.errors)
  const shared = findSharedErrors(whole)
  const shown = new Set()
  const sections = groups.flatMap(({ name, description }) => {
    const operations = filterByTag(whole, name)
    const types = [...listNames(operations, whole.schemas)].filter((each) => !shown.has(each))
    for (const each of types) shown.add(each)
    return [
      `## ${titleOf(name)}`,
      `${description} \`gateway.${toCall(name)}\`.`,
      formatOperations(operations, shared, errors),
      types.flatMap((each) => formatTypeLine(each, whole.schemas[each])).join('\n'),
    ].filter((part) => part !== '')
  })
  return `${[
    NOTE,
    '# Reference: ngrok’s API on one page',
    'Every operation, field and error of `createNgrok` and of `fauxgate serve --dialect ngrok`. Error numbers are those in `error_code`: 413 is ' +
      '`ERR_NGROK_413`. A range has only the numbers that exist. ' +
      '[The long reference](https://github.com/fauxgate/fauxgate/blob/main/docs/reference/README.md) has the meaning of each field, and ' +
      'examples. The hover texts of `gateway.reservedDomains.create(…)` and of other calls have the meaning too.',
    '## Every request',
    table(
      ['', ''],
      [
        ['base URL', whole.url],
        ['API key', '`Authorization: Bearer <API key>`'],
        ['version header', whole.version],
        ['body of POST, PUT and PATCH', '`Content-Type: application/json`'],
        ...Object.entries(shared).map(([what, { keys }]) => [`errors of ${what}`, formatNumbers(keys, errors)]),
      ],
    ),
    'Lists take `limit` (1 to 100), `before_id` and `filter`, and return `uri` and `next_page_uri`. Most resources also have `id`, `uri`, ' +
      '`created_at`, `description` (up to 255 bytes) and `metadata` (up to 4096 bytes).',
    'The name of an operation is that of its family and its action: `reserved_domains.create` is `gateway.reservedDomains.create`. In the ' +
      'types, * marks a required field of a body.',
    ...sections,
    '## Errors',
    '`gateway.faults.add({ error })` takes the key, or the code, such as `ERR_NGROK_413`. ' +
      '[The catalogue](https://github.com/fauxgate/fauxgate/blob/main/docs/reference/error-catalogue.md) has the messages.',
    formatErrors(errors),
  ].join('\n\n')}\n`
}

/** Returns the errors that kinds of operations share, each with the operations. */
function findSharedErrors(whole) {
  const { any, withBody } = findCommonErrors(whole)
  const ofEach = (isOne) => findErrorsOfAll(whole, isOne).filter((key) => !any.includes(key))
  const isList = ({ parameters }) => parameters.some(({ name }) => name === 'before_id')
  const isOnId = ({ path }) => path.includes('{')
  const isDelete = ({ method }) => method === 'delete'
  return {
    'every request': { keys: any, isOne: () => true },
    'every body': { keys: withBody, isOne: ({ requestBody }) => requestBody },
    'every path with an id': { keys: ofEach(isOnId), isOne: isOnId },
    'every list': { keys: ofEach(isList), isOne: isList },
    'every DELETE': { keys: ofEach(isDelete), isOne: isDelete },
  }
}

function formatOperations(operations, shared, errors) {
  const rows = operations.map((operation) => {
    const known = Object.values(shared).flatMap(({ keys, isOne }) => (isOne(operation) ? keys : []))
    const keys = errorsOf(operation).filter((key) => !known.includes(key))
    const success = Object.keys(operation.responses).find((status) => status < 400)
    const action = toCall(operation.operationId.split('.')[1])
    return [`\`${operation.method.toUpperCase()} ${operation.path}\``, action, success, formatNumbers(keys, errors)]
  })
  return table(['request', 'action', 'status', 'errors'], rows)
}

/** Returns the name in the direct API, such as `reservedDomains`. */
const toCall = (name) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase())

/** Returns the errors with a number, by number. */
function sortErrors(errors) {
  const rows = Object.entries(errors).map(([key, { value }]) => ({ ...value, key, number: numberOf(value.error_code) }))
  return rows.filter(({ number }) => number > 0).sort((a, b) => a.number - b.number)
}

const numberOf = (code) => Number(code.replace(/^\D+/, ''))

/** Formats the numbers of errors, such as "210, 2201–2219": a range for three and more that follow one another in the catalogue. */
function formatNumbers(keys, errors) {
  const places = errors.flatMap(({ key }, place) => (keys.includes(key) ? place : []))
  const runs = []
  for (const place of places) {
    const run = runs.at(-1)
    if (run?.at(-1) === place - 1) run.push(place)
    else runs.push([place])
  }
  const texts = runs.flatMap((run) => {
    const numbers = run.map((place) => errors[place].number)
    return numbers.length > 2 ? `${numbers[0]}–${numbers.at(-1)}` : numbers
  })
  return texts.join(', ')
}

/** Returns the line of a type that has fields of its own. Lists have none. */
function formatTypeLine(name, { properties = {}, required = [] }) {
  if (properties.next_page_uri) return []
  const fields = Object.entries(properties).filter(([field]) => !COMMON.includes(field))
  const isSent = !required.includes('id')
  const texts = fields.map(([field, json]) => {
    const type = formatType(json)
    return `${field}${isSent && required.includes(field) ? '*' : ''}${type === 'text' ? '' : `: ${type}`}`
  })
  return texts.length === 0 ? [] : [`- ${name} { ${texts.join(', ')} }`]
}

/** Formats a type in few words, such as "EndpointRule[]". */
function formatType({ $ref, anyOf, enum: values, items, type, additionalProperties }) {
  if ($ref) return $ref.split('/').at(-1)
  if (anyOf) return formatType(anyOf[0])
  const texts = values?.filter((value) => typeof value === 'string' && value !== '') ?? []
  if (texts.length > 0) return texts.join('|')
  const kind = [type].flat().find((each) => each !== 'null')
  if (kind === 'array') return `${items ? formatType(items) : 'any'}[]`
  if (kind === 'object' && additionalProperties?.type) return `map of ${formatType(additionalProperties)}`
  return { boolean: 'bool', integer: 'int', string: 'text' }[kind] ?? kind ?? 'any'
}

const formatErrors = (errors) =>
  table(
    ['number', 'status', 'key'],
    errors.map(({ number, status_code, key }) => [number, status_code, key]),
  )
