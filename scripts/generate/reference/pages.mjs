// Creates the pages of the service reference from the OpenAPI documents.
import { mapValues, operationsOf } from '../../operations.mjs'
import { KINDS } from '../evidence/sources.ts'
import { anchorOf, table } from '../markdown.ts'
import { createExamples } from './examples.mjs'
import { formatFieldTable, formatType, listNames } from './fields.mjs'

/** Returns the pages about a dialect with its families, by file name. */
export async function createPages({ openApi, dialect, families, ...parts }) {
  const whole = joinDocuments(openApi, dialect, families)
  // Families that a test can use without others have examples.
  const examples = await createExamples(openApi(dialect), parts)
  return {
    'README.md': formatIndexPage(whole),
    ...Object.fromEntries(whole.tags.map((group) => [fileOf(group.name), formatGroupPage(group, whole, examples)])),
    'error-catalogue.md': formatErrorPage(whole, '../decisions'),
  }
}

/** Joins the documents of the service and of the controls: the operations, the schemas, and the errors with evidence. */
export function joinDocuments(openApi, dialect, families) {
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

export const NOTE = '<!-- Made by `npm run generate` from the schemas and operations in src/. -->'

const formatPage = (...parts) => `${[NOTE, ...parts].join('\n\n')}\n`

const fileOf = (name) => `${name.replaceAll('_', '-')}.md`

function formatOperationTable(whole) {
  const rows = whole.tags.flatMap(({ name }) =>
    filterByTag(whole, name).map(({ method, path, summary }) => [
      `\`${method.toUpperCase()} ${path}\``,
      `[${summary}](${fileOf(name)}#${anchorOf(summary)})`,
    ]),
  )
  return table(['', ''], rows)
}

export const filterByTag = ({ operations }, tag) => operations.filter(({ tags }) => tags.includes(tag))

/** Returns the keys of the errors that an operation can answer with. */
export const errorsOf = ({ responses }) => Object.entries(responses).flatMap(keysOf)

const keysOf = ([status, { content }]) => (status < 400 ? [] : Object.keys(content['application/json'].examples))

/** Returns the errors of every operation of the service, and the further errors of every operation with a body. */
export function findCommonErrors(whole) {
  const any = findErrorsOfAll(whole, () => true)
  const withBody = findErrorsOfAll(whole, ({ requestBody }) => requestBody).filter((key) => !any.includes(key))
  return { any, withBody }
}

/** Returns the errors that all operations of a kind share, without those of the controls. */
export function findErrorsOfAll({ operations }, isOne) {
  const ofService = operations.filter(({ tags }) => !tags.includes('controls')).filter(isOne)
  const [first, ...others] = ofService.map((each) => new Set(errorsOf(each)))
  return [...first].filter((key) => others.every((keys) => keys.has(key)))
}

const formatErrorLinks = (keys) => keys.map((key) => `[${key}](error-catalogue.md#${key})`).join(', ')

function formatIndexPage(whole) {
  const common = findCommonErrors(whole)
  return formatPage(
    '# Service reference',
    'Every operation of ngrok’s API in `createNgrok` of `fauxgate/ngrok` and in `fauxgate serve --dialect ngrok`, and of the controls ' +
      'for tests, with its fields, answers and errors. [One page](../reference.md) has all operations and errors in short. The same as ' +
      'OpenAPI 3.1 documents: `openApi()` of `fauxgate/openapi`, the files `fauxgate/openapi.ngrok.json` and ' +
      '`fauxgate/openapi.ngrok.control.json` of the package, and `GET /_fauxgate/openapi.json` and ' +
      '`GET /_fauxgate/openapi.control.json` on a server. [Generate a client](../openapi.md) has the commands. `createGateway` has other ' +
      'names and statuses: see [the standard dialect](../standard.md).',
    '## Every request',
    table(
      ['', ''],
      [
        ['base URL', whole.url],
        ['API key', '`Authorization: Bearer <API key>`'],
        ['version header', whole.version],
        ['operation id in every answer', whole.header],
        ['body of POST, PUT and PATCH', '`Content-Type: application/json`'],
      ],
    ),
    `Any request can be refused as ${formatErrorLinks(common.any)}; one with a body also as ${formatErrorLinks(common.withBody)}.`,
    'A served gateway has its own base URL. In a body, `null` means "not given", and unknown fields are refused. The ' +
      'controls need none of these headers.',
    '## Operations',
    formatOperationTable(whole),
    'Errors have a [page of their own](error-catalogue.md).',
  )
}

function formatGroupPage({ name, description }, whole, examples) {
  const operations = filterByTag(whole, name)
  const { any, withBody } = findCommonErrors(whole)
  const sections = operations.flatMap((operation) =>
    formatOperation(operation, examples[operation.operationId], operation.requestBody ? [...any, ...withBody] : any),
  )
  const types = [...listNames(operations, whole.schemas)]
  return formatPage(
    `# ${titleOf(name)}`,
    description,
    ...sections,
    ...(types.length > 0 ? ['## Types'] : []),
    ...types.flatMap((type) => formatTypeSection(type, whole.schemas[type])),
  )
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
export function titleOf(name) {
  const words = name.split('_').map((word) => ABBREVIATIONS[word] ?? word)
  return words.join(' ').replace(/^./, (letter) => letter.toUpperCase())
}

function formatOperation({ method, path, summary, parameters, requestBody, responses }, example, common) {
  const parts = [`## ${summary}`, `\`${method.toUpperCase()} ${path}\``]
  for (const place of ['path', 'query']) {
    const there = parameters.filter((each) => each.in === place)
    if (there.length > 0) parts.push(`In the ${place}:`, formatParameterTable(there))
  }
  if (requestBody) parts.push(`Body: ${formatType(requestBody.content['application/json'].schema)}.`)
  parts.push(...formatResponses(responses, common))
  return example ? [...parts, ...formatExample(example)] : parts
}

function formatParameterTable(parameters) {
  const fields = parameters.map(({ name, description, schema }) => [name, { ...schema, description }])
  const required = parameters.flatMap((each) => (each.required ? each.name : []))
  return formatFieldTable({ properties: Object.fromEntries(fields), required })
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

const formatTypeSection = (name, json) => [
  `### ${name}`,
  json.description ?? '',
  json.properties ? formatFieldTable(json) : formatType(json),
]

function formatErrorPage({ errors, schemas }, decisions) {
  /** Formats a link to a page or to a section of the decisions. Other sources are names. */
  const linkTo = (source) => {
    const [, file, heading, rest = ''] = /\/docs\/decisions\/([\w-]+)\.md#([\w-]+)(.*)$/.exec(source) ?? []
    if (file) return `[${heading.replaceAll('-', ' ')}](${decisions}/${file}.md#${heading})${rest}`
    return source.startsWith('https:') ? `[${source.split('/').at(-1)}](${source})` : source
  }
  const sections = Object.entries(errors).flatMap(([key, { value, evidence }]) => {
    const kinds = KINDS.filter((kind) => evidence[kind])
    const sources = kinds.map((kind) => `${kind} (${evidence[kind].map(linkTo).join(', ')})`)
    return [
      `## ${key}`,
      `\`${value.error_code}\`; status ${value.status_code}.`,
      `> ${value.msg}`,
      ...(sources.length > 0 ? [`Evidence: ${sources.join('; ')}.`] : []),
    ]
  })
  return formatPage(
    '# Errors',
    'What every error answers, and every error by its key. Words in braces are places for what was received, and what is allowed.',
    formatFieldTable(schemas.Error),
    ...sections,
  )
}
