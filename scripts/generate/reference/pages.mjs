// Makes the pages of the service reference from the OpenAPI documents.
import { mapValues, operationsOf } from '../../operations.mjs'
import { KINDS } from '../evidence/sources.ts'
import { anchorOf, table } from '../markdown.ts'
import { examplesOf } from './examples.mjs'
import { fieldTable, namesIn, typeOf } from './fields.mjs'

/** Returns the pages, by file name. */
export async function pagesOf({ openApi, standard, ngrok, ...parts }) {
  const whole = wholeOf(openApi, standard)
  const also = wholeOf(openApi, ngrok)
  const examples = await examplesOf(openApi(standard), parts)
  return {
    'README.md': indexPage(whole, also),
    ...groupPages(whole.tags, whole, also, examples),
    'error-catalogue.md': errorPage(whole, also, '../decisions'),
  }
}

/** Returns the pages of the families that a dialect has beside those of the standard one, by file name. */
export function pagesOfFamilies({ openApi, dialect, families }) {
  const whole = wholeOf(openApi, dialect, families)
  const known = wholeOf(openApi, dialect).tags.map(({ name }) => name)
  const groups = whole.tags.filter(({ name }) => !known.includes(name))
  return {
    'README.md': page(
      `# Further families of ${dialect.name}`,
      `What \`createNgrok\` of \`fauxgate/ngrok\` and \`fauxgate serve --dialect ngrok\` have beside the families of the [service reference](../README.md).`,
      '## Every request',
      'As in the [service reference](../README.md#every-request).',
      '## Operations',
      operationTable(groups, whole, whole),
    ),
    ...groupPages(groups, whole, whole, {}),
    'error-catalogue.md': errorPage(whole, whole, '../../decisions'),
  }
}

/** Joins the documents of the service and of the controls: their operations and schemas, and the errors with their evidence. */
function wholeOf(openApi, dialect, families = {}) {
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
    errors: Object.assign({}, ...documents.map(errorsWithSources)),
  }
}

/** Returns the examples of errors, with the names of the sources that their evidence has. */
const errorsWithSources = ({ components, 'x-fauxgate-sources': sources }) =>
  mapValues(components.examples, ({ 'x-fauxgate-evidence': evidence = {}, ...example }) => ({
    ...example,
    evidence: mapValues(evidence, (places) => places.map((place) => sources[place])),
  }))

const NOTE = '<!-- Made by `npm run generate` from the schemas and operations in src/. -->'

const page = (...parts) => `${[NOTE, ...parts].join('\n\n')}\n`

const fileOf = (name) => `${name.replaceAll('_', '-')}.md`

const groupPages = (groups, ...rest) =>
  Object.fromEntries(groups.map((group) => [fileOf(group.name), groupPage(group, ...rest)]))

function operationTable(groups, whole, also) {
  const rows = groups.flatMap(({ name }) =>
    operationsOfBoth(whole, also, name).map(({ method, path, summary, isExtra }) => [
      `\`${method.toUpperCase()} ${path}\``,
      `[${summary}](${fileOf(name)}#${anchorOf(summary)})${isExtra ? ' (`ngrok` only)' : ''}`,
    ]),
  )
  return table(['', ''], rows)
}

const ofTag = ({ operations }, tag) => operations.filter(({ tags }) => tags.includes(tag))

/** Returns the operations of a tag, and after them those that only the other dialect has. */
function operationsOfBoth(whole, also, tag) {
  const own = ofTag(whole, tag)
  const more = ofTag(also, tag).filter(({ operationId }) => !own.some((each) => each.operationId === operationId))
  return [...own, ...more.map((each) => ({ ...each, isExtra: true }))]
}

/** Returns the keys of the errors that an operation can answer with. */
const errorsOf = ({ responses }) => Object.entries(responses).flatMap(keysOf)

const keysOf = ([status, { content }]) => (status < 400 ? [] : Object.keys(content['application/json'].examples))

/** Returns the errors that every operation of the service can answer, and those of every operation with a body: each listed once. */
function commonErrors({ operations }) {
  const service = operations.filter(({ tags }) => !tags.includes('controls'))
  const inAll = (list) => {
    const [first, ...others] = list.map((each) => new Set(errorsOf(each)))
    return [...first].filter((key) => others.every((keys) => keys.has(key)))
  }
  const any = inAll(service)
  const withBody = inAll(service.filter(({ requestBody }) => requestBody)).filter((key) => !any.includes(key))
  return { any, withBody }
}

const errorLinks = (keys) => keys.map((key) => `[${key}](error-catalogue.md#${key})`).join(', ')

function indexPage(whole, also) {
  const common = commonErrors(whole)
  return page(
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
        ['base URL', whole.url, also.url],
        ['API key', '`Authorization: Bearer <API key>`', 'the same'],
        ['version header', whole.version, also.version],
        ['operation id in every answer', whole.header, also.header],
        ['body of POST, PUT and PATCH', '`Content-Type: application/json`', 'the same'],
      ],
    ),
    `Any request can be refused as ${errorLinks(common.any)}; one with a body also as ${errorLinks(common.withBody)}.`,
    'A served gateway has its own base URL. In a body, `null` means "not given", and unknown fields are refused. The ' +
      'controls need none of these headers.',
    '## Operations',
    operationTable(whole.tags, whole, also),
    'Errors have a [page of their own](error-catalogue.md).',
  )
}

function groupPage({ name, description }, whole, also, examples) {
  const operations = operationsOfBoth(whole, also, name)
  const others = ofTag(also, name)
  const { any, withBody } = commonErrors(whole)
  const sections = operations.flatMap((operation) => {
    const other = others.find(({ operationId }) => operationId === operation.operationId)
    const common = operation.requestBody ? [...any, ...withBody] : any
    return operationSection(operation, other, examples[operation.operationId], common, whole)
  })
  const types = new Set([...namesIn(operations, whole.schemas), ...namesIn(others, also.schemas)])
  return page(
    `# ${(name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ')}`,
    description,
    ...sections,
    ...(types.size > 0 ? ['## Types'] : []),
    ...[...types].flatMap((type) => typeSection(type, whole, also)),
  )
}

/** Describes an operation. `other` is the same of the other dialect, if it has that. */
function operationSection(operation, other, example, common, whole) {
  const { method, path, summary, parameters, requestBody, responses } = operation
  const only = operation.isExtra ? ', only in the dialect `ngrok`' : ''
  const parts = [`## ${summary}`, `\`${method.toUpperCase()} ${path}\`${only}`]
  for (const place of ['path', 'query']) {
    const there = parameters.filter((each) => each.in === place)
    const isMore = (each) => each.in === place && !there.some(({ name }) => name === each.name)
    if (there.length > 0)
      parts.push(`In the ${place}:`, parameterTable(there, (other?.parameters ?? []).filter(isMore)))
  }
  if (requestBody) parts.push(`Body: ${typeOf(requestBody.content['application/json'].schema)}.`)
  const own = errorsOf(operation)
  const onlyThere = other ? errorsOf(other).filter((key) => !whole.errors[key] && !own.includes(key)) : []
  parts.push(...answersOf(responses, common))
  if (onlyThere.length > 0) parts.push(`In the dialect \`ngrok\` also: ${errorLinks(onlyThere)}.`)
  return example ? [...parts, ...exampleSection(example)] : parts
}

function parameterTable(parameters, more) {
  const fields = (list) =>
    Object.fromEntries(list.map(({ name, description, schema }) => [name, { ...schema, description }]))
  const required = parameters.flatMap((each) => (each.required ? each.name : []))
  return fieldTable({ properties: fields(parameters), required }, fields(more))
}

function answersOf(responses, common) {
  const good = Object.entries(responses).filter(([status]) => status < 400)
  const lines = good.map(([status, { content, description }]) => {
    const [type] = Object.entries(content ?? {})
    if (!type) return `Answers ${status} without a body.`
    return `Answers ${status}: ${type[0] === 'application/json' ? typeOf(type[1].schema) : `\`${type[0]}\``}. ${description}`
  })
  const errors = Object.entries(responses).flatMap((entry) => {
    const keys = keysOf(entry).filter((key) => !common.includes(key))
    return keys.length === 0 ? [] : [[entry[0], errorLinks(keys)]]
  })
  const more = common.length === 0 ? [] : ['In addition to the errors of [every request](README.md#every-request):']
  return [...lines, ...(errors.length > 0 ? [...more, table(['status', 'errors'], errors)] : [])]
}

function exampleSection({ curl, call, status, json }) {
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

function typeSection(name, whole, also) {
  const there = also.schemas[name]
  const json = whole.schemas[name] ?? there
  const isMore = ([field]) => !json.properties?.[field]
  const more = Object.fromEntries(Object.entries(there?.properties ?? {}).filter(isMore))
  return [`### ${name}`, json.description ?? '', json.properties ? fieldTable(json, more) : typeOf(json)]
}

function errorPage(whole, also, decisions) {
  /** Returns a link to a page or to a section of the decisions; other sources are names. */
  const linkTo = (source) => {
    const [, file, heading, rest = ''] = /\/docs\/decisions\/([\w-]+)\.md#([\w-]+)(.*)$/.exec(source) ?? []
    if (file) return `[${heading.replaceAll('-', ' ')}](${decisions}/${file}.md#${heading})${rest}`
    return source.startsWith('https:') ? `[${source.split('/').at(-1)}](${source})` : source
  }
  const sections = Object.entries({ ...whole.errors, ...also.errors }).flatMap(([key, { value: other, evidence }]) => {
    const { error_code, status_code, msg } = (whole.errors[key] ?? also.errors[key]).value
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
  })
  return page(
    '# Errors',
    'What every error answers, and every error by its key. Words in braces stand for what was received, and what is allowed.',
    fieldTable(whole.schemas.Error),
    ...sections,
  )
}
