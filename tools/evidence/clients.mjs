// Writes tools/evidence/clients.json: the calls of ngrok's official clients, with the fields that their types name, and the
// page of the API reference that the client names. It reads the sources of the clients: for TypeScript from
// node_modules, for Go from the module cache, which `go mod download github.com/ngrok/ngrok-api-go/v9@v9.0.0` fills.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importSource } from '../../scripts/import-source.mjs'
import { root } from '../../scripts/shared.mjs'

/** The newest client, and an older one with the calls that the service has removed since. */
const GO = ['9.0.0', '5.0.0']

const readText = (...parts) => readFileSync(join(...parts), 'utf8')
const toSnakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the fields of a type and of the types in it, as paths such as `certificate.id`. */
function listFields(types, name, seen = []) {
  if (seen.includes(name)) return []
  return (types[name] ?? []).flatMap(([field, type]) => [
    field,
    ...listFields(types, type, [...seen, name]).map((inner) => `${field}.${inner}`),
  ])
}

function readGoClient(version) {
  const [major] = version.split('.')
  const module = `github.com/ngrok/ngrok-api-go/v${major}@v${version}`
  const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' }))
  const types = parseGoTypes(readText(Dir, 'datatypes.go'))
  const files = readdirSync(Dir, { recursive: true }).filter((name) => /\/client\.go$/.test(name))
  return files.flatMap((name) => parseGoCalls(readText(Dir, name), types))
}

function parseGoTypes(text) {
  const structs = text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)
  return Object.fromEntries(
    [...structs].map(([, name, body]) => [
      name,
      [...body.matchAll(/^\t\w+ +([^`\n]+?) +`json:"(\w+)/gm)].map(([, type, field]) => [
        field,
        type.startsWith('map') ? undefined : type.replace(/^[[\]*]+/, ''),
      ]),
    ]),
  )
}

function parseGoCalls(text, types) {
  const functions = text.matchAll(/((?:^\/\/.*\n)*)^func \(c \*Client\) (\w+)\(([^)]*)\)([^{]*)\{\n([\s\S]*?)^\}/gm)
  return [...functions].flatMap(([, comment, , parameters, result, body]) => {
    const path = /\.Parse\("([^"]+)"\)/.exec(body)?.[1]
    if (path === undefined) return []
    const iterator = /return &(iter\w+)\{/.exec(body)?.[1]
    const page =
      iterator && new RegExp(`func \\(it \\*${iterator}\\) Next[\\s\\S]*?var resp ngrok\\.(\\w+)`).exec(text)?.[1]
    const sentType = body.includes('bodyArg = arg') ? /\*ngrok\.(\w+)/.exec(parameters)?.[1] : undefined
    const blank = [...body.matchAll(/arg\.(\w+) = ""/g)].map(([, name]) => ({ ID: 'id', EdgeID: 'edge_id' })[name])
    return {
      method: /Do\(ctx, "(\w+)"/.exec(body)?.[1] ?? 'GET',
      path: path.replace(/\{\{ \.(\w+) \}\}/g, (_, name) => ({ ID: '{id}', EdgeID: '{edge_id}' })[name] ?? name),
      page: /https:\/\/ngrok\.com\/docs\/api-reference\/\S+/.exec(comment)?.[0],
      sends: listFields(types, sentType).filter((field) => !blank.includes(field)),
      reads: listFields(types, page ?? /\*ngrok\.(\w+)/.exec(result)?.[1]),
    }
  })
}

function readTypescriptClient() {
  const folder = join(root, 'node_modules/@ngrok/ngrok-api')
  const interfaces = readText(folder, 'src/datatypes.ts').matchAll(/^export interface (\w+) \{\n([\s\S]*?)^\}/gm)
  const types = Object.fromEntries(
    [...interfaces].map(([, name, body]) => [
      name,
      [...body.matchAll(/^ {2}(\w+)\??: ([^;]+);/gm)].map(([, field, type]) => [
        toSnakeCase(field),
        type.replace(/^Array<(\w+)>$/, '$1'),
      ]),
    ]),
  )
  const methods = readText(folder, 'src/services.ts').matchAll(
    /^ {2}(?:public|private) (?:async )?\w+\(([^)]*)\): Promise<([^{]+)> \{\n([\s\S]*?)^ {2}\}/gm,
  )
  return [...methods].flatMap(([, parameters, result, body]) => {
    const [, path] = /\.url\(\s*`([^`]+)`\s*\)/.exec(body) ?? []
    const [, method] = /\.(get|post|patch|put|delete)\(/.exec(body) ?? []
    if (path === undefined || method === undefined) return []
    const takesBody = ['post', 'patch', 'put'].includes(method)
    return {
      method: method.toUpperCase(),
      path: path.replace(/\$\{(?:arg\.)?(\w+)\}/g, (_, name) => `{${toSnakeCase(name)}}`),
      sends: takesBody ? listFields(types, /datatypes\.(\w+)/.exec(parameters)?.[1]) : [],
      reads: listFields(types, /datatypes\.(\w+)/.exec(result)?.[1]),
    }
  })
}

const version = JSON.parse(readText(root, 'node_modules/@ngrok/ngrok-api/package.json')).version
const CLIENTS = {
  ...Object.fromEntries(GO.map((each) => [`ngrok-api-go ${each}`, readGoClient(each)])),
  [`ngrok-api-typescript ${version}`]: readTypescriptClient(),
}

/** The calls of fauxgate; others are left out. Each field has the places in `clients` of the clients that name it. */
const operations = (await importSource('scripts/generate/evidence/rules.ts')).operations.map(({ call }) => call)
const clients = Object.keys(CLIENTS)
const calls = {}
for (const [place, all] of Object.values(CLIENTS).entries()) {
  for (const { method, path, page, sends, reads } of all) {
    const name = `${method} ${path}`
    if (!operations.includes(name)) continue
    calls[name] ??= { page, clients: [], sends: {}, reads: {} }
    const call = calls[name]
    call.page ??= page
    if (!call.clients.includes(place)) call.clients.push(place)
    for (const [kind, fields] of Object.entries({ sends, reads })) {
      for (const field of new Set(fields)) {
        const places = call[kind][field] ?? []
        call[kind][field] = [...new Set([...places, place])]
      }
    }
  }
}
const lines = Object.entries(calls).map(([name, call]) => `${JSON.stringify(name)}: ${JSON.stringify(call)}`)
const file = join(root, 'tools/evidence/clients.json')
writeFileSync(file, `{\n"clients": ${JSON.stringify(clients)},\n"calls": {\n${lines.join(',\n')}\n}\n}\n`)
const missing = operations.filter((name) => !calls[name])
console.log(`${Object.keys(calls).length} of ${operations.length} operations; no client has ${missing.join(', ')}.`)
