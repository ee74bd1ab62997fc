// The examples of the service reference: each operation's as curl and as a direct call, carried out both ways.

/** The examples of a document's operations, carried out in the order in which they stand in examples.mjs. */
export async function examplesOf(document, examples, { createGateway, manualClock, upload }) {
  const open = () => createGateway({ seed: 'reference', clock: manualClock('2026-01-01T00:00:00Z') })
  const [direct, served] = [open(), open()]
  const made = { direct: {}, served: {} }
  const found = {}
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { operationId, security }] of Object.entries(item)) {
      if (security) continue
      const example = examples[operationId]
      if (!example) throw new Error(`There is no example of ${operationId} in scripts/generate/reference/examples.mjs.`)
      found[operationId] = { example, path, method }
    }
  }
  for (const name of Object.keys(examples)) {
    const { example, path, method } = found[name]
    const curl = curlOf(filled(example, made.served), path, method, document)
    const call = callOf(name, filled(example, made.direct))
    const answer = await carriedOut(curl, served, upload)
    const result = new Function('gateway', 'upload', `return ${call}`)(direct, upload)
    if (answer.status >= 400) throw new Error(`The example of ${name} fails: ${answer.text}`)
    const json = answer.text === '' ? undefined : JSON.parse(answer.text)
    if (JSON.stringify(json) !== JSON.stringify(result)) throw new Error(`The two examples of ${name} differ.`)
    made.served[name] = json?.id
    made.direct[name] = result?.id
    found[name] = { curl, call, status: answer.status, json }
  }
  return found
}

/** An example with the ids that the earlier ones answered. */
function filled(example, made) {
  const text = JSON.stringify(example).replace(/"\{([\w.]+)\}"/g, (_, name) => JSON.stringify(made[name]))
  return JSON.parse(text)
}

function curlOf({ ids = {}, body, query }, path, method, { servers, components }) {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name])
  const search = query ? `?${new URLSearchParams(query)}` : ''
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${servers[0].url}${at}${search}'`,
    `-H 'Authorization: Bearer <API key>'`,
    `-H '${components.parameters.version.name}: 2'`,
  ]
  if (body)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `--data ${body === 'upload' ? '@upload.json' : `'${JSON.stringify(body).replaceAll("'", "'\\''")}'`}`,
    )
  return lines.join(' \\\n  ')
}

function callOf(name, { ids = {}, body, query }) {
  const [family, verb] = name.split('.').map((part) => part.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase()))
  const sent = body ?? query
  const own = Object.keys(ids).length > 1 ? literal(ids) : ids.id && literal(ids.id)
  const given = [own, sent && (sent === 'upload' ? 'upload' : literal(sent))].filter(Boolean)
  return `gateway.${family}.${verb}(${given.join(', ')})`
}

/** A value as people write it in JavaScript. */
function literal(value) {
  if (typeof value === 'string') return value.includes("'") ? JSON.stringify(value) : `'${value}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(
    ([name, each]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literal(each)}`,
  )
  return `{ ${fields.join(', ')} }`
}

/** Does what a command says, as far as the examples use curl. */
async function carriedOut(command, gateway, upload) {
  const words = [...command.replaceAll("'\\''", '\u0000').matchAll(/'([^']*)'|([^\s\\]+)/g)]
  const [, ...args] = words.map(([, quoted, bare]) => (quoted ?? bare).replaceAll('\u0000', "'"))
  const init = { method: 'GET', headers: {} }
  let url
  for (let word = args.shift(); word !== undefined; word = args.shift()) {
    if (word === '-X') init.method = args.shift()
    else if (word === '-H') init.headers = { ...init.headers, ...headerOf(args.shift()) }
    else if (word === '--data') init.body = bodyOf(args.shift(), upload)
    else url = word
  }
  const response = await gateway.fetch(url, init)
  return { status: response.status, text: await response.text() }
}

const headerOf = (line) => Object.fromEntries([line.split(/: (.*)/, 2)])

const bodyOf = (text, upload) => (text === '@upload.json' ? JSON.stringify(upload) : text)
