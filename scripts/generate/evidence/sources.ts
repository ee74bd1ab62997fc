// The evidence for the rules of the API: the API reference, the official clients, the recorded examples, and decisions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryParseJson } from '../../../src/verify/exchange.ts'
import { parseHar } from '../../../src/verify/har-reader.ts'
import clients from '../../../tools/evidence/clients.json'
import programs from '../../../tools/evidence/programs.json'
import service from '../../../tools/evidence/service.json'

/** The base of links from pages of the package to files that the package does not have. */
export const PUBLISHED = 'https://github.com/fauxgate/fauxgate/blob/main'

export const KINDS = ['documented', 'client', 'recorded', 'decided'] as const
export type Kind = (typeof KINDS)[number]
export type Evidence = { readonly [K in Kind]?: readonly string[] }

/** The facts of a source about a call: the fields that are sent and read, as paths such as `certificate.id`. */
interface Statement {
  readonly kind: Kind
  readonly source: string
  readonly sends: readonly string[]
  readonly reads: readonly string[]
}

/** Returns the facts of all sources about a call, `METHOD /path`. */
export function listStatements(call: string, examples: readonly Example[]): Statement[] {
  return [...findDocumented(call), ...findInClients(call), ...findInExamples(call, examples)]
}

/** The start of most sources. */
export const NGROK_DOCS = 'https://ngrok.com/docs/'

const ERROR_PAGE = `${NGROK_DOCS}errors/err_ngrok_`

/** Returns the page for a path without a page in the clients: a module of an edge or a route, or a fixed response. */
function findFurtherPage(path: string): string | undefined {
  if (path.startsWith('/backends/http_response')) return 'httpresponsebackends'
  const [, ofRoute, kind, module = ''] = /^\/edges\/(?:(.*\/routes)|(\w+))\/\{id\}\/(\w+)$/.exec(path) ?? []
  // The reference no longer has pages of policies: traffic policies have replaced them.
  if (module === '' || module === 'policy') return undefined
  return `${ofRoute ? 'edgeroute' : `${kind}edge`}${module.replaceAll('_', '')}module`
}

/** The page about the module in the reference until 2025, when the page of traffic policies replaced it. */
const POLICY_PAGE = `${NGROK_DOCS}api/resources/edge-route-policy-module`

/**
 * Returns the page of the API reference about a call. The page is evidence for the call. Its fields are the fields of
 * the clients, which are generated from the same source.
 */
export function pageOf(call: string): string | undefined {
  const page = CALLS_OF_CLIENTS[call]?.page
  const [method = '', path = ''] = call.split(' ')
  if (path.endsWith('routes/{id}/policy')) return POLICY_PAGE
  const further = findFurtherPage(path)
  const read = path.endsWith('}') || path.startsWith('/edges/') ? 'get' : 'list'
  const verb = { POST: 'create', PUT: 'replace', PATCH: 'update', GET: read, DELETE: 'delete' }[method]
  return page ?? (further && `${NGROK_DOCS}api-reference/${further}/${verb}`)
}

/** A call of the API reference, with a list of fields or the type that has them. */
interface DocumentedCall {
  /** Default: the source of most calls. */
  readonly source?: string
  readonly section: string
  readonly sends?: string | readonly string[]
  readonly reads?: string
  /** The name of a page's list, whose items are of the type. */
  readonly list?: string
}

const DOCUMENTED_CALLS: Readonly<Record<string, DocumentedCall>> = service.calls
const DOCUMENTED_TYPES: Readonly<Record<string, readonly string[]>> = service.types

function findDocumented(call: string): Statement[] {
  const found = DOCUMENTED_CALLS[call]
  if (!found) return []
  const { source = service.source, section, sends = [], reads = '', list } = found
  const fields = DOCUMENTED_TYPES[reads] ?? []
  return [
    {
      kind: 'documented',
      source: `${source}, "${section}"`,
      sends: typeof sends === 'string' ? (DOCUMENTED_TYPES[sends] ?? []) : sends,
      reads: list ? [list, ...fields.map((field) => `${list}.${field}`), 'uri', 'next_page_uri'] : fields,
    },
  ]
}

/** A call of the clients: the page that they name, and the places of the clients with the call and with each field. */
interface ClientCall {
  readonly page?: string
  readonly clients: readonly number[]
  readonly sends: Readonly<Record<string, readonly number[]>>
  readonly reads: Readonly<Record<string, readonly number[]>>
}

const CALLS_OF_CLIENTS = clients.calls as Readonly<Record<string, ClientCall>>

function findInClients(call: string): Statement[] {
  const found = CALLS_OF_CLIENTS[call]
  const listNamed = (fields: ClientCall['sends'] = {}, place: number) =>
    Object.keys(fields).filter((field) => fields[field]?.includes(place))
  return (found?.clients ?? []).map((place) => ({
    kind: 'client',
    source: clients.clients[place] ?? '',
    sends: listNamed(found?.sends, place),
    reads: listNamed(found?.reads, place),
  }))
}

/** A published example of a call, from a real account: the fields of the request and of the response. */
export interface Example {
  readonly method: string
  readonly path: string
  readonly date: string
  readonly sends: readonly string[]
  readonly reads: readonly string[]
}

/** Reads the recording of the published examples. */
export function readExamples(root: string): Example[] {
  const file = 'tools/evidence/examples.har'
  return parseHar(readFileSync(join(root, file), 'utf8'), file).exchanges.map(({ at, request, response }) => ({
    method: request.method,
    path: request.path.replace(/\?.*/, ''),
    date: new Date(at).toISOString().slice(0, 10),
    sends: listPaths(tryParseJson(request.body ?? '')),
    reads: listPaths(response.body),
  }))
}

function findInExamples(call: string, examples: readonly Example[]): Statement[] {
  const [method, path = ''] = call.split(' ')
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
  const found = examples.filter((example) => example.method === method && pattern.test(example.path))
  const [first] = found
  if (!first) return []
  const source = `examples of ngrok's API reference, recorded on ${first.date}`
  const all = (kind: 'sends' | 'reads') => [...new Set(found.flatMap((example) => example[kind]))]
  return [{ kind: 'recorded', source, sends: all('sends'), reads: all('reads') }]
}

/** Returns the paths of all fields of a value. Items of lists have no paths of their own. */
function listPaths(value: unknown, before = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listPaths(each, before))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [`${before}${name}`, ...listPaths(each, `${before}${name}.`)])
}

/** The numbers of errors whose HTTP status the public reference names. */
const STATUS_DOCUMENTED = [218, 226]

/** The documents about errors with our own numbers: ngrok gives them other numbers, or a standard defines them. */
const REFUSALS: Readonly<Record<number, string>> = {
  90411: `${ERROR_PAGE}5206`,
  90413: 'RFC 9110, section 15.5.14 (413 Content Too Large)',
  90418: `${NGROK_DOCS}domains/region-pinning`,
  90442: `${ERROR_PAGE}7023`,
}

export const OWN_NUMBERS = 'errors#own-numbers'

/** Returns the evidence for an error: the page documents its number, and its status is mostly a decision. */
export function evidenceOfError({ number }: { readonly number: number }): Evidence {
  const programSources = (programs as Readonly<Record<string, readonly string[]>>)[number]
  const isOwn = number >= 90_000
  const section = number >= 90_600 && number < 90_700 ? 'sandboxes#errors' : OWN_NUMBERS
  const page = isOwn ? REFUSALS[number] : `${ERROR_PAGE}${number}`
  return {
    ...(page && { documented: [page] }),
    ...(programSources && { client: programSources }),
    ...(isOwn && { decided: [section] }),
    ...(!isOwn && !STATUS_DOCUMENTED.includes(number) && { decided: ['errors#catalogue'] }),
  }
}
