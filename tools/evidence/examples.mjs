// Adds to tools/evidence/examples.har the examples of ngrok's documentation that it lacks: `node tools/evidence/examples.mjs DOCS`, with
// the folder of a checkout of github.com/ngrok/ngrok-docs. Each example is a request with the response that was recorded. Where an
// example refers to resources that no example makes, exchanges before it make them, from the example that makes one of their kind.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/shared.mjs'

const FOLDER = 'snippets/api/resources/examples'
const FILE = join(root, 'tools/evidence/examples.har')
const RECORDED = '2025-09-04T10:11:43.000Z'
const ID = /\b[a-z0-9]+_[0-9A-Za-z]{26,27}\b/g
const VERBS = ['create', 'replace', 'list', 'update', 'get', 'other', 'delete']

const docs = process.argv[2] ?? ''
const har = JSON.parse(readFileSync(FILE, 'utf8'))

/** Reads a page; undefined if it has no example. */
function readExample(name) {
  const [request, response] = ['request', 'response'].map((part) =>
    readFileSync(join(docs, FOLDER, `${name}_${part}.mdx`), 'utf8'),
  )
  const [, method] = /-X (\w+)/.exec(request) ?? []
  const [, url = 'https://api.ngrok.com/self'] = /^(https:\S+)$/m.exec(request) ?? []
  const [, sent] = /^-d '([\s\S]*)' \\$/m.exec(request) ?? []
  const [, received] = /```json\n([\s\S]*?)\n```/.exec(response) ?? []
  if (!method) return undefined
  const [, stem, found] = /^_(.*?)(?:_module)?_([a-z]+)$/.exec(`${name}`) ?? [undefined, name, 'get']
  const verb = VERBS.includes(found) ? found : 'other'
  return { name, stem, verb, method, url, sent, received }
}

const names = readdirSync(join(docs, FOLDER)).flatMap((file) => /^(_.*)_request\.mdx$/.exec(file)?.[1] ?? [])
const examples = names.flatMap((name) => readExample(name) ?? [])
const templateOf = (method, url) => `${method} ${url.replace(ID, (id) => id.replace(/_.*/, ''))}`
const known = new Set(har.log.entries.map(({ request }) => templateOf(request.method, request.url)))

/** The examples that make a resource, by the prefix of its ids. */
const makers = new Map(
  examples
    .filter(({ method, received }) => method === 'POST' && received !== undefined)
    .flatMap((example) => {
      const prefix = JSON.parse(example.received).id?.replace(/_.*/, '')
      return prefix === undefined || example.stem.startsWith('tunnel_sessions') ? [] : [[prefix, example]]
    }),
)

const made = new Set()
/** The account has one user, in all examples. */
const USER = 'usr_2AbCdEfGhIjKlMnOpQrStUvWx10'
const ids = new Map()
let renamed = 0
const rename = (text) =>
  text?.replace(ID, (id) => {
    const prefix = id.replace(/_.*/, '')
    if (prefix === 'usr') return USER
    if (!ids.has(id)) ids.set(id, `${prefix}_2AbCdEfGhIjKlMnOpQrStUvW${String(100 + renamed++)}`)
    return ids.get(id)
  })

function addEntry(
  { name, method, url, sent, received },
  comment = `github.com/ngrok/ngrok-docs, ${FOLDER}/${name}_*.mdx`,
) {
  const headers = [
    { name: 'authorization', value: 'Bearer {API_KEY}' },
    { name: 'ngrok-version', value: '2' },
  ]
  const json = { name: 'content-type', value: 'application/json' }
  const text = received === undefined ? '' : JSON.stringify(JSON.parse(rename(received)))
  const status = { POST: 201, DELETE: 204 }[method] ?? 200
  har.log.entries.push({
    comment,
    startedDateTime: RECORDED,
    time: 0,
    request: {
      method,
      url: rename(url),
      httpVersion: 'HTTP/1.1',
      headers: sent === undefined ? headers : [...headers, json],
      queryString: [],
      cookies: [],
      headersSize: -1,
      bodySize: -1,
      ...(sent !== undefined && { postData: { mimeType: json.value, text: JSON.stringify(JSON.parse(rename(sent))) } }),
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      headers: text === '' ? [] : [json],
      cookies: [],
      content: { size: text.length, mimeType: json.value, text },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  })
  for (const [id] of `${method === 'POST' ? received : ''}`.matchAll(ID)) made.add(id)
  if (method === 'DELETE') made.delete(url.split('/').at(-1))
}

const HELP = 'Not its own example: it makes what the next examples refer to.'

/** The exchanges that made what a group of examples refers to, with the URLs of what they made. */
let helpers = []

/** Adds the exchange that makes a resource with an id, and before it those that make what it refers to. */
function make(id, others) {
  const maker = makers.get(id.replace(/_.*/, ''))
  if (!maker || made.has(id)) return
  made.add(id)
  const own = JSON.parse(maker.received).id
  const edge = others.find((each) => each.startsWith('edghts_')) ?? ''
  const withEdge = (text) => (maker.url.includes('/routes') ? text.replace(/edghts_\w+/g, edge) : text)
  const url = withEdge(maker.url)
  const sent = maker.sent.replace(/,?"hostports":\[[^\]]*\]/, '')
  const received = withEdge(maker.received)
    .replaceAll(own, id)
    .replace(/"hostports": \[[^\]]*\]/, '"hostports": null')
  for (const [each] of `${url} ${sent}`.matchAll(ID)) make(each, others)
  addEntry({ ...maker, url, sent, received }, HELP)
  helpers.push({ id, url: `${url}/${id}` })
}

/** Adds the exchange that reserves the domain of an edge. */
function reserve(domain) {
  const { certificate_id: _, ...sent } = JSON.parse(makers.get('rd').sent)
  const received = { ...JSON.parse(makers.get('rd').received), domain, certificate: null }
  const url = makers.get('rd').url
  addEntry({ method: 'POST', url, sent: JSON.stringify({ ...sent, domain }), received: JSON.stringify(received) }, HELP)
  helpers.push({ id: received.id, url: `${url}/${received.id}` })
}

/** Adds the exchanges that delete what the helpers have made, the last first. */
function deleteHelpers() {
  for (const { id, url } of helpers.reverse().filter(({ id }) => made.has(id))) {
    addEntry({ method: 'DELETE', url }, HELP.replace('makes', 'deletes').replace('next', 'last'))
    // If examples of another kind use the same id, they are about another resource.
    ids.delete(id)
  }
  helpers = []
}

/** Sorts the examples of a stem as they were recorded: some were read before their change. */
function sortGroup(group) {
  const [get, update] = ['get', 'update'].map((verb) => group.find((example) => example.verb === verb)?.received)
  const verbs = get === update ? VERBS : VERBS.filter((verb) => verb !== 'update').toSpliced(4, 0, 'update')
  return group.sort((a, b) => verbs.indexOf(a.verb) - verbs.indexOf(b.verb))
}

const missing = examples.filter(({ method, url }) => !known.has(templateOf(method, url)))
const stems = [...new Set(missing.map(({ stem }) => stem))]
for (const stem of stems) {
  const group = missing.filter((example) => example.stem === stem)
  for (const example of sortGroup(group)) {
    const needed = [...`${example.url} ${example.sent ?? ''}`.matchAll(ID)].map(([id]) => id)
    for (const id of needed) make(id, needed)
    const [, domain] = (example.verb === 'create' && /"hostports":\["([^":]+)/.exec(example.sent)) || []
    if (domain) reserve(domain)
    addEntry(example)
  }
  deleteHelpers()
}
// One line for each exchange, so that changes can be read.
const { entries, ...head } = har.log
const lines = entries.map((entry) => JSON.stringify(entry)).join(',\n')
writeFileSync(FILE, `{"log":${JSON.stringify(head).slice(0, -1)},"entries":[\n${lines}\n]}}\n`)
console.log(`${missing.length} examples were added, ${examples.length - missing.length} were there.`)
