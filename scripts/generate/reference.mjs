// Makes docs/reference.md, every operation, field and error of ngrok's API on one page, docs/policy-reference.md, the language of
// traffic policies, and policy.schema.json, its JSON Schema. They are in the package, and not in the repository: `npm pack` makes them.
// docs/evidence-reference.md, the evidence for each operation, is for people with a clone.
import { ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../src/index.ts'
import { families } from '../../src/service/resources/index.ts'
import { operationsOf } from '../operations.mjs'
import { formatCertificateErrors } from './certificate-errors.ts'
import { formatEventFields } from './event-fields.ts'
import { evidenceReference } from './evidence.ts'
import { formatLimits } from './limits.ts'
import { table } from './markdown.ts'
import { formatPolicyPage } from './policy-reference.ts'
import { createPolicySchema } from './policy-schema.ts'

export default function reference(root = '.') {
  return new Map([
    ['docs/reference.md', formatPage(joinDocuments())],
    ['docs/policy-reference.md', formatPolicyPage()],
    ['docs/evidence-reference.md', evidenceReference(root)],
    ['policy.schema.json', `${JSON.stringify(createPolicySchema())}\n`],
  ])
}

/** Fields that most resources have. The page explains them once. */
const COMMON = ['id', 'uri', 'created_at', 'updated_at', 'description', 'metadata', 'next_page_uri']

/** Says which entries of an error the service has too. */
const DETAILS =
  'texts. `operation_id` is the service’s. fauxgate adds facts about the value: `field`, `rule` (the key of the error), `received`, ' +
  '`allowed`, `choices`, `nearest`, `typed`, `further_problems`, `field:<path>` with each message, and `id` of a missing resource'

/** Returns the page about the operations of the service. */
function formatPage(whole) {
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
      `${description} \`gateway.${toCall(name)}\`.${formatListField(operations, whole.schemas)}${formatFilterFields(operations)}`,
      formatOperations(operations, shared, errors),
      types.flatMap((each) => formatTypeLine(each, whole.schemas[each])).join('\n'),
    ].filter((part) => part !== '')
  })
  return `${[
    '# Reference: ngrok’s API on one page',
    'Every operation, field and error of `createNgrok` and of `fauxgate serve --dialect ngrok`. Error numbers are those in `error_code`: 413 is ' +
      '`ERR_NGROK_413`. A range has only the numbers that exist. ' +
      'The meaning of each field is in the hover texts of calls such as `gateway.reservedDomains.create(…)`, and in the OpenAPI documents `fauxgate/openapi.ngrok.json` and `fauxgate/openapi.ngrok.control.json`.',
    '## Every request',
    table(
      ['', ''],
      [
        ['base URL', whole.url],
        ['API key', '`Authorization: Bearer <API key>`'],
        ['version header', whole.version],
        ['body of POST, PUT and PATCH', '`Content-Type: application/json`'],
        ['body of an error', '`{ error_code, status_code, msg, details }`'],
        ['`details` of an error', DETAILS],
        [
          'unknown path or method',
          '404 `{ status_code, msg: "Not Found", details: { path } }`, without `error_code`. `gateway.report()` has the message of 90400 or 90405',
        ],
        [
          'fields of a body',
          '`null` means not given. `""` clears a text. As an ID, a region or a key type, it means not given',
        ],
        ['times in a response', 'RFC 3339 in UTC without fractions, such as `2026-01-01T00:00:00Z`'],
        ...Object.entries(shared).map(([what, { keys }]) => [`errors of ${what}`, formatNumbers(keys, errors)]),
      ],
    ),
    'Lists take `limit` (1 to 100), `before_id` and `filter`, and return `uri` and `next_page_uri`. Lists start with the newest resource. ' +
      '`before_id` need not exist: the page has the resources with a lower ID. `filter` compares fields of `obj`, such as ' +
      '`obj.description == "shop"` or `obj.domain.startsWith("app.")`. Most resources also have `id`, `uri`, ' +
      '`created_at`, `description` (up to 255 bytes) and `metadata` (up to 4096 bytes).',
    'An operation is named after its family and its action: `reserved_domains.create` is `gateway.reservedDomains.create`. In the ' +
      'types, * marks a required field of a body.',
    ...sections,
    '## Errors',
    '`gateway.faults.add({ error })` takes the key, or the code, such as `ERR_NGROK_413`. Words in braces stand for received and allowed values.',
    formatErrors(errors),
    formatCertificateErrors(),
    formatLimits({ ...families, ...ngrokFamilies }),
    formatEventFields(),
  ].join('\n\n')}\n`
}

/** Names the field of a list that has its resources. Returns an empty text if there is no list. */
function formatListField(operations, schemas) {
  const lists = [...listNames(operations, schemas)].filter((name) => name.endsWith('List'))
  const fields = lists.flatMap((name) =>
    Object.entries(schemas[name].properties).flatMap(([field, { type }]) => (type === 'array' ? field : [])),
  )
  return fields.length === 0 ? '' : ` List field: ${[...new Set(fields)].map((field) => `\`${field}\``).join(', ')}.`
}

const filterable = new Map(
  Object.values({ ...families, ...ngrokFamilies }).flatMap((family) =>
    Object.values(family.operations).map((operation) => [operation.name, operation.filterable ?? []]),
  ),
)

/** Names the fields that the filter of a list can compare. Returns an empty text if there are none. */
function formatFilterFields(operations) {
  const fields = operations.flatMap(({ operationId }) => filterable.get(operationId) ?? [])
  const names = [...new Set(fields.map((field) => `\`${field.name ?? field}\``))]
  return names.length === 0 ? '' : ` Filter fields: ${names.join(', ')}.`
}

/** Returns the errors that kinds of operations share, each with the operations. */
function findSharedErrors(whole) {
  const any = findErrorsOfAll(whole, () => true)
  const ofEach = (isOne) => findErrorsOfAll(whole, isOne).filter((key) => !any.includes(key))
  const hasBody = ({ requestBody }) => requestBody !== undefined
  const isList = ({ parameters }) => parameters.some(({ name }) => name === 'before_id')
  const isOnId = ({ path }) => path.includes('{')
  const isDelete = ({ method }) => method === 'delete'
  return {
    'every request': { keys: any, isOne: () => true },
    'every body': { keys: ofEach(hasBody), isOne: hasBody },
    'every path with an ID': { keys: ofEach(isOnId), isOne: isOnId },
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

/**
 * Returns the line of a type that has fields of its own. Lists have none. A field with an alias is required, unless the alias is
 * sent: the schema says so with `if` and `else`.
 */
function formatTypeLine(name, { properties = {}, required = [], if: aliased, else: otherwise }) {
  if (properties.next_page_uri) return []
  const fields = Object.entries(properties).filter(([field]) => !COMMON.includes(field))
  const isSent = !required.includes('id')
  const texts = fields.map(([field, json]) => {
    const type = formatType(json)
    const orAlias = otherwise?.required?.includes(field) ? `* (or ${aliased.required})` : ''
    return `${field}${isSent && required.includes(field) ? '*' : orAlias}${type === 'text' ? '' : `: ${type}`}`
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
    ['number', 'status', 'key', 'message'],
    errors.map(({ number, status_code, key, msg }) => [number, status_code, key, msg]),
  )

/** Joins the documents of the service and of the controls: the operations, the schemas and the errors. */
function joinDocuments() {
  const documents = ['service', 'controls'].map((part) => openApi(ngrok, { families: ngrokFamilies, part }))
  const [{ servers, components }] = documents
  return {
    operations: documents.flatMap(operationsOf),
    url: `\`${servers[0].url}\``,
    version: `\`${components.parameters.version.name}: 2\``,
    tags: documents.flatMap(({ tags }) => tags),
    schemas: Object.assign({}, ...documents.map((each) => each.components.schemas)),
    errors: Object.assign({}, ...documents.map((each) => each.components.examples)),
  }
}

const filterByTag = ({ operations }, tag) => operations.filter(({ tags }) => tags.includes(tag))

/** Returns the keys of the errors that an operation can answer with. */
const errorsOf = ({ responses }) =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    status < 400 ? [] : Object.keys(content['application/json'].examples),
  )

/** Returns the errors that all operations of a kind share, without those of the controls. */
function findErrorsOfAll({ operations }, isOne) {
  const ofService = operations.filter(({ tags }) => !tags.includes('controls')).filter(isOne)
  const [first, ...others] = ofService.map((each) => new Set(errorsOf(each)))
  return [...first].filter((key) => others.every((keys) => keys.has(key)))
}

/** The abbreviations in the names of families. */
const ABBREVIATIONS = {
  addrs: 'addresses',
  ip: 'IP',
  tls: 'TLS',
  tcp: 'TCP',
  https: 'HTTPS',
  http: 'HTTP',
  ssh: 'SSH',
  api: 'API',
  ai: 'AI',
  oidc: 'OIDC',
  oauth: 'OAuth',
  saml: 'SAML',
}

/** Returns the title of a family, such as "IP policies". */
function titleOf(name) {
  const words = name.split('_').map((word) => ABBREVIATIONS[word] ?? word)
  return words.join(' ').replace(/^./, (letter) => letter.toUpperCase())
}

/** Returns the name of a schema in a reference to it. */
const findName = ({ $ref }) => $ref?.split('/').at(-1)

/** Returns the names of all schemas that a value refers to, at any depth, in the order of their first use. */
function listNames(value, schemas, found = new Set()) {
  if (typeof value !== 'object' || value === null) return found
  const name = typeof value.$ref === 'string' && value.$ref.includes('/schemas/') ? findName(value) : undefined
  if (name && name !== 'Error' && !found.has(name)) {
    found.add(name)
    listNames(schemas[name], schemas, found)
  }
  for (const inner of Object.values(value)) listNames(inner, schemas, found)
  return found
}
