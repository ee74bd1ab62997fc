// Creates the pages of the service reference from the OpenAPI documents.
import { mapValues, operationsOf } from '../../operations.mjs'
import { KINDS } from '../evidence/sources.ts'
import { anchorOf, table } from '../markdown.ts'
import { createExamples } from './examples.mjs'
import { formatFieldTable, formatType, listNames } from './fields.mjs'

/** Returns the pages, by file name. */
export async function createPages({ openApi, standard, ngrok, ...parts }) {
  const whole = joinDocuments(openApi, standard)
  const variant = joinDocuments(openApi, ngrok)
  const examples = await createExamples(openApi(standard), parts)
  return {
    'README.md': formatIndexPage(whole, variant),
    ...formatGroupPages(whole.tags, whole, variant, examples),
    'error-catalogue.md': formatErrorPage(whole, variant, '../decisions'),
  }
}

/** Returns the pages of the families that only this dialect has, by file name. */
export function createFamilyPages({ openApi, dialect, families }) {
  const whole = joinDocuments(openApi, dialect, families)
  const known = joinDocuments(openApi, dialect).tags.map(({ name }) => name)
  const groups = whole.tags.filter(({ name }) => !known.includes(name))
  return {
    'README.md': formatPage(
      `# Further families of ${dialect.name}`,
      `What \`createNgrok\` of \`fauxgate/ngrok\` and \`fauxgate serve --dialect ngrok\` have beside the families of the [service reference](../README.md).`,
      '## Every request',
      'As in the [service reference](../README.md#every-request).',
      '## Operations',
      formatOperationTable(groups, whole, whole),
    ),
    ...formatGroupPages(groups, whole, whole, {}),
    'error-catalogue.md': formatErrorPage(whole, whole, '../../decisions'),
  }
}

/** Joins the documents of the service and of the controls: the operations, the schemas, and the errors with evidence. */
function joinDocuments(openApi, dialect, families = {}) {
  const documents = ['service', 'controls'].map((part) => openApi(dialect, { families, part }))
  const [{ servers, components }] = documents
  const operations = documents.flatMap(operationsOf)
  const [header] = Object.keys(Object.values(operations[0].responses)[0].headers)
  return {
    operations,
    header: `\`${header}\``,
    url: `\`${servers[0].url}\``,
    version: `\`${components.parameters.version.name}: 2\``,
    tags: documents.flatMap(({ tags }) => tags),
    schemas: Object.assign({}, ...documents.map((each) => each.components.schemas)),
    errors: Object.assign({}, ...documents.map(listErrorsWithSources)),
  }
}

/** Returns the examples of errors, with the names of the sources that their evidence has. */
const listErrorsWithSources = ({ components, 'x-fauxgate-sources': sources }) =>
  mapValues(components.examples, ({ 'x-fauxgate-evidence': evidence = {}, ...example }) => ({
    ...example,
    evidence: mapValues(evidence, (places) => places.map((place) => sources[place])),
  }))

const NOTE = '<!-- Made by `npm run generate` from the schemas and operations in src/. -->'

const formatPage = (...parts) => `${[NOTE, ...parts].join('\n\n')}\n`

const fileOf = (name) => `${name.replaceAll('_', '-')}.md`

const formatGroupPages = (groups, ...rest) =>
  Object.fromEntries(groups.map((group) => [fileOf(group.name), formatGroupPage(group, ...rest)]))

function formatOperationTable(groups, whole, variant) {
  const rows = groups.flatMap(({ name }) =>
    listOperationsOfBoth(whole, variant, name).map(({ method, path, summary, isExtra }) => [
      `\`${method.toUpperCase()} ${path}\``,
      `[${summary}](${fileOf(name)}#${anchorOf(summary)})${isExtra ? ' (`ngrok` only)' : ''}`,
    ]),
  )
  return table(['', ''], rows)
}

const filterByTag = ({ operations }, tag) => operations.filter(({ tags }) => tags.includes(tag))

/** Returns the operations of a tag, followed by the operations that only the other dialect has. */
function listOperationsOfBoth(whole, variant, tag) {
  const own = filterByTag(whole, tag)
  const more = filterByTag(variant, tag).filter(
    ({ operationId }) => !own.some((each) => each.operationId === operationId),
  )
  return [...own, ...more.map((each) => ({ ...each, isExtra: true }))]
}

/** Returns the keys of the errors that an operation can answer with. */
const errorsOf = ({ responses }) => Object.entries(responses).flatMap(keysOf)

const keysOf = ([status, { content }]) => (status < 400 ? [] : Object.keys(content['application/json'].examples))

/** Returns the errors of every operation of the service, and the further errors of every operation with a body. */
function findCommonErrors({ operations }) {
  const service = operations.filter(({ tags }) => !tags.includes('controls'))
  const findInAll = (list) => {
    const [first, ...others] = list.map((each) => new Set(errorsOf(each)))
    return [...first].filter((key) => others.every((keys) => keys.has(key)))
  }
  const any = findInAll(service)
  const withBody = findInAll(service.filter(({ requestBody }) => requestBody)).filter((key) => !any.includes(key))
  return { any, withBody }
}

const formatErrorLinks = (keys) => keys.map((key) => `[${key}](error-catalogue.md#${key})`).join(', ')

function formatIndexPage(whole, variant) {
  const common = findCommonErrors(whole)
  return formatPage(
    '# Service reference',
    'Every operation of the emulated service and of the controls for tests, with its fields, answers and errors. The same ' +
      'as OpenAPI 3.1 documents, one of the service and one of the controls: `openApi()` of `fauxgate/openapi`, the ' +
      'files `fauxgate/openapi.json`, `fauxgate/openapi.ngrok.json`, `fauxgate/openapi.control.json` and ' +
      '`fauxgate/openapi.ngrok.control.json` of the package, and `GET /_fauxgate/openapi.json` and ' +
      '`GET /_fauxgate/openapi.control.json` on a server. [Generate a client](../openapi.md) has the commands.',
    '## Every request',
    table(
      ['', '`standard`', '`ngrok`'],
      [
        ['base URL', whole.url, variant.url],
        ['API key', '`Authorization: Bearer <API key>`', 'the same'],
        ['version header', whole.version, variant.version],
        ['operation id in every answer', whole.header, variant.header],
        ['body of POST, PUT and PATCH', '`Content-Type: application/json`', 'the same'],
      ],
    ),
    `Any request can be refused as ${formatErrorLinks(common.any)}; one with a body also as ${formatErrorLinks(common.withBody)}.`,
    'A served gateway has its own base URL. In a body, `null` means "not given", and unknown fields are refused. The ' +
      'controls need none of these headers.',
    '## Operations',
    formatOperationTable(whole.tags, whole, variant),
    'Errors have a [page of their own](error-catalogue.md).',
  )
}

function formatGroupPage({ name, description }, whole, variant, examples) {
  const operations = listOperationsOfBoth(whole, variant, name)
  const others = filterByTag(variant, name)
  const { any, withBody } = findCommonErrors(whole)
  const sections = operations.flatMap((operation) => {
    const other = others.find(({ operationId }) => operationId === operation.operationId)
    const common = operation.requestBody ? [...any, ...withBody] : any
    return formatOperation(operation, other, examples[operation.operationId], common, whole)
  })
  const types = new Set([...listNames(operations, whole.schemas), ...listNames(others, variant.schemas)])
  return formatPage(
    `# ${(name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ')}`,
    description,
    ...sections,
    ...(types.size > 0 ? ['## Types'] : []),
    ...[...types].flatMap((type) => formatTypeSection(type, whole, variant)),
  )
}

/** Describes an operation. `other` is the same operation in the other dialect, if it exists there. */
function formatOperation(operation, other, example, common, whole) {
  const { method, path, summary, parameters, requestBody, responses } = operation
  const only = operation.isExtra ? ', only in the dialect `ngrok`' : ''
  const parts = [`## ${summary}`, `\`${method.toUpperCase()} ${path}\`${only}`]
  for (const place of ['path', 'query']) {
    const there = parameters.filter((each) => each.in === place)
    const isExtra = (each) => each.in === place && !there.some(({ name }) => name === each.name)
    if (there.length > 0)
      parts.push(`In the ${place}:`, formatParameterTable(there, (other?.parameters ?? []).filter(isExtra)))
  }
  if (requestBody) parts.push(`Body: ${formatType(requestBody.content['application/json'].schema)}.`)
  const own = errorsOf(operation)
  const onlyThere = other ? errorsOf(other).filter((key) => !whole.errors[key] && !own.includes(key)) : []
  parts.push(...formatResponses(responses, common))
  if (onlyThere.length > 0) parts.push(`In the dialect \`ngrok\` also: ${formatErrorLinks(onlyThere)}.`)
  return example ? [...parts, ...formatExample(example)] : parts
}

function formatParameterTable(parameters, more) {
  const fields = (list) =>
    Object.fromEntries(list.map(({ name, description, schema }) => [name, { ...schema, description }]))
  const required = parameters.flatMap((each) => (each.required ? each.name : []))
  return formatFieldTable({ properties: fields(parameters), required }, fields(more))
}

function formatResponses(responses, common) {
  const good = Object.entries(responses).filter(([status]) => status < 400)
  const lines = good.map(([status, { content, description }]) => {
    const [type] = Object.entries(content ?? {})
    if (!type) return `Answers ${status} without a body.`
    return `Answers ${status}: ${type[0] === 'application/json' ? formatType(type[1].schema) : `\`${type[0]}\``}. ${description}`
  })
  const errors = Object.entries(responses).flatMap((entry) => {
    const keys = keysOf(entry).filter((key) => !common.includes(key))
    return keys.length === 0 ? [] : [[entry[0], formatErrorLinks(keys)]]
  })
  const more = common.length === 0 ? [] : ['In addition to the errors of [every request](README.md#every-request):']
  return [...lines, ...(errors.length > 0 ? [...more, table(['status', 'errors'], errors)] : [])]
}

function formatExample({ curl, call, status, json }) {
  const cut = (_key, value) => (typeof value === 'string' && value.length > 100 ? `${value.slice(0, 60)}…` : value)
  const block = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``
  return [
    ...(curl.includes('@upload.json') ? ['`upload` is `{ certificate_pem, private_key_pem }`.'] : []),
    block('sh', curl),
    block('js', call),
    `${status}:`,
    ...(json === undefined ? [] : [block('json', JSON.stringify(json, cut, 2))]),
  ]
}

function formatTypeSection(name, whole, variant) {
  const there = variant.schemas[name]
  const json = whole.schemas[name] ?? there
  const isExtra = ([field]) => !json.properties?.[field]
  const more = Object.fromEntries(Object.entries(there?.properties ?? {}).filter(isExtra))
  return [`### ${name}`, json.description ?? '', json.properties ? formatFieldTable(json, more) : formatType(json)]
}

function formatErrorPage(whole, variant, decisions) {
  /** Formats a link to a page or to a section of the decisions. Other sources are names. */
  const linkTo = (source) => {
    const [, file, heading, rest = ''] = /\/docs\/decisions\/([\w-]+)\.md#([\w-]+)(.*)$/.exec(source) ?? []
    if (file) return `[${heading.replaceAll('-', ' ')}](${decisions}/${file}.md#${heading})${rest}`
    return source.startsWith('https:') ? `[${source.split('/').at(-1)}](${source})` : source
  }
  const sections = Object.entries({ ...whole.errors, ...variant.errors }).flatMap(
    ([key, { value: other, evidence }]) => {
      const { error_code, status_code, msg } = (whole.errors[key] ?? variant.errors[key]).value
      const codes = [...new Set([error_code, other.error_code])].map((code) => `\`${code}\``).join(', ')
      const only = whole.errors[key] ? '' : ', only in the dialect `ngrok`'
      const status = other.status_code === status_code ? '' : `, ${other.status_code} in the dialect \`ngrok\``
      const kinds = KINDS.filter((kind) => evidence[kind])
      const sources = kinds.map((kind) => `${kind} (${evidence[kind].map(linkTo).join(', ')})`)
      return [
        `## ${key}`,
        `${codes}${only}; status ${status_code}${status}.`,
        `> ${msg}`,
        ...(sources.length > 0 ? [`Evidence: ${sources.join('; ')}.`] : []),
      ]
    },
  )
  return formatPage(
    '# Errors',
    'What every error answers, and every error by its key. Words in braces stand for what was received, and what is allowed.',
    formatFieldTable(whole.schemas.Error),
    ...sections,
  )
}
