// Makes the pages of the service reference from the OpenAPI documents.

import { operationsOf } from '../../operations.mjs'
import { anchorOf, table } from '../markdown.ts'
import { examplesOf } from './examples.mjs'
import { fieldTable, namesIn, typeOf } from './fields.mjs'

/** The pages, by file name. */
export async function pagesOf({ openApi, standard, ngrok, ...parts }) {
  const document = wholeOf(openApi, standard)
  const also = wholeOf(openApi, ngrok)
  const examples = await examplesOf(openApi(standard), parts)
  const groups = document.tags.map((tag) => ({ ...tag, file: `${tag.name.replaceAll('_', '-')}.md` }))
  const pages = groups.map((group) => [group.file, groupPage(group, document, also, examples)])
  return {
    'README.md': indexPage(document, also, groups),
    ...Object.fromEntries(pages),
    'error-catalogue.md': errorPage(document, also, '../decisions'),
  }
}

/** The pages of the families that a dialect has beside those of the standard one, by file name. */
export function pagesOfFamilies({ openApi, dialect, families }) {
  const document = wholeOf(openApi, dialect, families)
  const known = wholeOf(openApi, dialect).tags.map(({ name }) => name)
  const groups = document.tags
    .filter(({ name }) => !known.includes(name))
    .map((tag) => ({ ...tag, file: `${tag.name.replaceAll('_', '-')}.md` }))
  const pages = groups.map((group) => [group.file, groupPage(group, document, document, {})])
  return {
    'README.md': page(
      `# Further families of ${dialect.name}`,
      `What \`createNgrok\` of \`fauxgate/ngrok\` and \`fauxgate serve --dialect ngrok\` have beside the families of the [service reference](../README.md).`,
      '## Every request',
      'As in the [service reference](../README.md#every-request).',
      '## Operations',
      operationTable(document, groups),
    ),
    ...Object.fromEntries(pages),
    'error-catalogue.md': errorPage(document, document, '../../decisions'),
  }
}

/** Returns the documents of the service and of the controls as one, with every response where it is answered, and a list of operations. */
function wholeOf(openApi, dialect, families = {}) {
  const [service, controls] = ['service', 'controls'].map((part) => openApi(dialect, { families, part }))
  const { components, ...document } = service
  const examples = Object.assign({}, ...[service, controls].map(examplesWithSources))
  const paths = Object.fromEntries([service, controls].flatMap((each) => Object.entries(pathsOf(each))))
  return {
    ...document,
    tags: [...service.tags, ...controls.tags],
    paths,
    operations: operationsOf({ paths, components }),
    components: {
      ...components,
      examples,
      schemas: { ...components.schemas, ...controls.components.schemas },
    },
  }
}

function pathsOf(document) {
  return mapValues(document.paths, (item) =>
    mapValues(item, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses, (response) => responseIn(document, response)),
    })),
  )
}

/** The examples of errors, with the names of the sources that their evidence has. */
function examplesWithSources({ components, 'x-fauxgate-sources': sources }) {
  return mapValues(components.examples, ({ 'x-fauxgate-evidence': evidence = {}, ...example }) => ({
    ...example,
    evidence: mapValues(evidence, (places) => places.map((place) => sources[place])),
  }))
}

const mapValues = (values, change) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

function operationTable(document, groups, also = document) {
  const rows = groups.flatMap(({ name, file }) =>
    operationsOfBoth(document, also, name).map(({ method, path, summary, isExtra }) => [
      `\`${method.toUpperCase()} ${path}\``,
      `[${summary}](${file}#${anchorOf(summary)})${isExtra ? ' (`ngrok` only)' : ''}`,
    ]),
  )
  return table(['', ''], rows)
}

const NOTE = '<!-- Made by `npm run generate` from the schemas and operations in src/. -->'

const page = (...parts) => `${[NOTE, ...parts].join('\n\n')}\n`

/** Returns a response, which may be a reference to one that many operations share. */
const responseIn = ({ components }, response) =>
  response.$ref ? components.responses[response.$ref.split('/').at(-1)] : response

const ofTag = ({ operations }, tag) => operations.filter(({ tags }) => tags.includes(tag))

/** The keys of the errors that an operation can answer with. */
const errorsOf = ({ responses }) => Object.keys(responses).flatMap((status) => keysOf(responses[status], status))

function keysOf({ content }, status) {
  if (status < 400) return []
  return Object.keys(content['application/json'].examples)
}

/** The errors that every operation of the service can answer, and those of every operation with a body: each listed once. */
function commonErrors(document) {
  const service = document.tags.filter(({ name }) => name !== 'controls')
  const operations = service.flatMap(({ name }) => ofTag(document, name))
  const inAll = (list) => {
    const [first, ...others] = list.map(errorsOf)
    return first.filter((key) => others.every((keys) => keys.includes(key)))
  }
  const any = inAll(operations)
  const withBody = inAll(operations.filter(({ requestBody }) => requestBody)).filter((key) => !any.includes(key))
  return { any, withBody }
}

const errorLinks = (keys) => keys.map((key) => `[${key}](error-catalogue.md#${key})`).join(', ')

const titleOf = (name) => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ')

function indexPage(document, also, groups) {
  const common = commonErrors(document)
  const header = (of) => `\`${of.components.parameters.version.name}: 2\``
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
        ['base URL', `\`${document.servers[0].url}\``, `\`${also.servers[0].url}\``],
        ['API key', '`Authorization: Bearer <API key>`', 'the same'],
        ['version header', header(document), header(also)],
        ['operation id in every answer', operationIdHeader(document), operationIdHeader(also)],
        ['body of POST, PUT and PATCH', '`Content-Type: application/json`', 'the same'],
      ],
    ),
    `Any request can be refused as ${errorLinks(common.any)}; one with a body also as ${errorLinks(common.withBody)}.`,
    'A served gateway has its own base URL. In a body, `null` means "not given", and unknown fields are refused. The ' +
      'controls need none of these headers.',
    '## Operations',
    operationTable(document, groups, also),
    'Errors have a [page of their own](error-catalogue.md).',
  )
}

function operationIdHeader(document) {
  const [item] = Object.values(document.paths)
  const [response] = Object.values(Object.values(item)[0].responses)
  return Object.keys(response.headers).map((name) => `\`${name}\``)[0]
}

/** The operations of a tag, and after them those that only the other dialect has. */
function operationsOfBoth(document, also, tag) {
  const own = ofTag(document, tag)
  const isOwn = ({ operationId }) => own.some((each) => each.operationId === operationId)
  const more = ofTag(also, tag).filter((each) => !isOwn(each))
  return [...own, ...more.map((each) => ({ ...each, isExtra: true }))]
}

function groupPage({ name, description }, document, also, examples) {
  const operations = operationsOfBoth(document, also, name)
  const { any, withBody } = commonErrors(document)
  const common = ({ requestBody }) => (requestBody ? [...any, ...withBody] : any)
  const others = new Map(ofTag(also, name).map((each) => [each.operationId, each]))
  const sections = operations.flatMap((each) =>
    operationSection(each, others.get(each.operationId), examples, common(each), document),
  )
  const types = new Set([
    ...namesIn(operations, document.components.schemas),
    ...namesIn([...others.values()], also.components.schemas),
  ])
  return page(
    `# ${titleOf(name)}`,
    description,
    ...sections,
    ...(types.size > 0 ? ['## Types'] : []),
    ...[...types].flatMap((type) => typeSection(type, document, also)),
  )
}

function operationSection(operation, other, examples, common, document) {
  const { method, path, summary, parameters = [], requestBody, responses, operationId } = operation
  const only = operation.isExtra ? ', only in the dialect `ngrok`' : ''
  const parts = [`## ${summary}`, `\`${method.toUpperCase()} ${path}\`${only}`]
  for (const place of ['path', 'query']) {
    const there = parameters.filter((each) => each.in === place)
    const more = (other?.parameters ?? []).filter(
      (each) => each.in === place && !there.some(({ name }) => name === each.name),
    )
    if (there.length > 0) parts.push(`In the ${place}:`, parameterTable(there, more))
  }
  if (requestBody) parts.push(`Body: ${typeOf(requestBody.content['application/json'].schema)}.`)
  const known = document.components.examples
  const onlyIn = other ? errorsOf(other).filter((key) => !known[key] && !errorsOf(operation).includes(key)) : []
  parts.push(...answersOf(responses, common))
  if (onlyIn.length > 0) parts.push(`In the dialect \`ngrok\` also: ${errorLinks(onlyIn)}.`)
  const example = examples[operationId]
  if (example) parts.push(...exampleSection(example))
  return parts
}

function parameterTable(parameters, more) {
  const fields = (list) =>
    Object.fromEntries(list.map(({ name, description, schema }) => [name, { ...schema, description }]))
  return fieldTable(
    { properties: fields(parameters), required: parameters.flatMap((each) => (each.required ? each.name : [])) },
    fields(more),
  )
}

function answersOf(responses, common) {
  const statuses = Object.entries(responses)
  const good = statuses.filter(([status]) => status < 400)
  const bad = statuses.filter(([status]) => status >= 400)
  const lines = good.map(([status, { content, description }]) => {
    const [type] = Object.entries(content ?? {})
    if (!type) return `Answers ${status} without a body.`
    return `Answers ${status}: ${type[0] === 'application/json' ? typeOf(type[1].schema) : `\`${type[0]}\``}. ${description}`
  })
  const errors = bad.flatMap(([status, response]) => {
    const keys = keysOf(response, status).filter((key) => !common.includes(key))
    return keys.length === 0 ? [] : [[status, errorLinks(keys)]]
  })
  const more = common.length === 0 ? [] : ['In addition to the errors of [every request](README.md#every-request):']
  return [...lines, ...(errors.length > 0 ? [...more, table(['status', 'errors'], errors)] : [])]
}

function exampleSection({ curl, call, status, json }) {
  const upload = curl.includes('@upload.json') ? ['`upload` is `{ certificate_pem, private_key_pem }`.'] : []
  const shown = json === undefined ? [] : [`\`\`\`json\n${JSON.stringify(json, cut, 2)}\n\`\`\``]
  return [...upload, `\`\`\`sh\n${curl}\n\`\`\``, `\`\`\`js\n${call}\n\`\`\``, `${status}:`, ...shown]
}

const cut = (_key, value) => (typeof value === 'string' && value.length > 100 ? `${value.slice(0, 60)}…` : value)

function typeSection(name, document, also) {
  const json = document.components.schemas[name] ?? also.components.schemas[name]
  const whole = also.components.schemas[name]
  const more = Object.fromEntries(
    Object.entries(whole?.properties ?? {}).filter(([field]) => !json.properties?.[field]),
  )
  return [`### ${name}`, json.description ?? '', json.properties ? fieldTable(json, more) : typeOf(json)]
}

const KINDS = ['documented', 'client', 'recorded', 'decided']

/** One line with all that speaks for an error. */
function evidenceLine({ evidence: found = {} }) {
  const kinds = KINDS.filter((kind) => found[kind]).map((kind) => `${kind} (${found[kind].map(sourceLink).join(', ')})`)
  return kinds.length === 0 ? [] : [`Evidence: ${kinds.join('; ')}.`]
}

/** A link to a page or to a section of the decisions; other sources are names. */
function sourceLink(source) {
  const [, page, heading, rest = ''] = /\/docs\/decisions\/([\w-]+)\.md#([\w-]+)(.*)$/.exec(source) ?? []
  if (page) return `[${heading.replaceAll('-', ' ')}](DECISIONS/${page}.md#${heading})${rest}`
  return source.startsWith('https:') ? `[${source.split('/').at(-1)}](${source})` : source
}

function errorPage(document, also, decisions) {
  const { schemas, examples } = document.components
  const sections = Object.entries({ ...examples, ...also.components.examples }).flatMap(([key, example]) => {
    const other = example.value
    const { error_code, status_code, msg } = (examples[key] ?? example).value
    const evidence = evidenceLine(example).map((line) => line.replaceAll('DECISIONS', decisions))
    const codes = [...new Set([error_code, other.error_code])].map((code) => `\`${code}\``).join(', ')
    const only = examples[key] ? '' : ', only in the dialect `ngrok`'
    const differs = other.status_code !== status_code
    const status = differs ? `, ${other.status_code} in the dialect \`ngrok\`` : ''
    return [`## ${key}`, `${codes}${only}; status ${status_code}${status}.`, `> ${msg}`, ...evidence]
  })
  return page(
    '# Errors',
    'What every error answers, and every error by its key. Words in braces stand for what was received, and what is allowed.',
    fieldTable(schemas.Error),
    ...sections,
  )
}
