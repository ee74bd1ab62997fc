import { describe, expect, test } from 'vitest'
import { createGateway, type Dialect, type Gateway, ngrok, standard } from '../../../src/index.ts'
import { IDS, TEMPLATES } from '../../support/bodies.ts'
import { client } from '../../support/client.ts'
import { listPaths, replaceAt, valueAt } from '../../support/damage.ts'
import { findBodyProblems } from '../../support/documented.ts'

type Template = (typeof TEMPLATES)[number]

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)

/** Creates variants of a body: with one part of another type, with a part less, or with a field more. */
function createVariants(body: object): unknown[] {
  const paths = [...listPaths(body)]
  const others = [5, true, 'x', [], {}, [5], { x: 5 }]
  const retyped = paths.flatMap((path) => {
    const type = typeOf(valueAt(body, path))
    return others.filter((other) => typeOf(other) !== type).map((other) => replaceAt(body, path, other))
  })
  // JSON drops undefined fields.
  const shortened = paths.map((path) => JSON.parse(JSON.stringify(replaceAt(body, path, undefined))))
  return [...retyped, ...shortened, {}, { ...body, unheard_of: 'x' }]
}

/** Returns a template with a dialect's aliases instead of its field names. */
function renameFields([method, path, body]: Template, { fieldAliases }: Dialect): Template {
  const names = Object.entries(fieldAliases[path.split('/')[1] ?? ''] ?? {})
  const findAlias = (name: string) => names.find(([, own]) => own === name)?.[0] ?? name
  return [method, path, Object.fromEntries(Object.entries(body).map(([name, value]) => [findAlias(name), value]))]
}

function listTemplates(dialect: Dialect): Template[] {
  const inEnvelopes = TEMPLATES.filter(([, path]) => path.startsWith('/edges')).map(
    ([method, path, body]): Template => [method, path, { ...IDS, module: body }],
  )
  const all = [...TEMPLATES, ...TEMPLATES.map((each) => renameFields(each, dialect)), ...inEnvelopes]
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
}

/** Creates a resource of a kind, and returns its id. */
function createResource({ reservedDomains, reservedAddrs }: Gateway, kind: string): string {
  return (kind === 'domain' ? reservedDomains.create({ domain: 'app.example.com' }) : reservedAddrs.create()).id
}

/** Errors of rules that the document has only in words, because a field depends on another one. */
const IN_WORDS = /_(?:422|506|2204|7027)$/

describe.each([standard, ngrok])('The document of the dialect $name allows', (dialect) => {
  test.each(listTemplates(dialect))(
    'exactly the bodies that the server accepts: %s %s %j and its variants',
    async (method, path, body) => {
      const differences: string[] = []
      for (const json of [body, ...createVariants(body)]) {
        const gateway = createGateway({ dialect, seed: 'bodies' })
        const url = gateway.url + path.replace(/\{(domain|address)\}/, (_, kind) => createResource(gateway, kind))
        const { status, body: answer } = await client(gateway)(method, url, { json })
        const problems = findBodyProblems(gateway, { method, url, json })
        if (status < 300 === (problems.length === 0) || IN_WORDS.test(answer.error_code)) continue
        differences.push(`${JSON.stringify(json)}: ${answer.msg ?? 'taken'} ${problems}`)
      }
      expect(differences).toEqual([])
    },
  )
})

test.each(['domain', 'name', 'host'])('With two aliases for a required field, the document allows %s', async (name) => {
  const dialect = { ...standard, fieldAliases: { reserved_domains: { name: 'domain', host: 'domain' } } }
  const gateway = createGateway({ dialect })
  const [method, url, json] = ['POST', `${gateway.url}/reserved_domains`, { [name]: 'app.example.com' }]
  expect(findBodyProblems(gateway, { method, url, json })).toEqual([])
  expect((await client(gateway)(method, url, { json })).status).toBe(201)
  expect(findBodyProblems(gateway, { method, url, json: {} })).not.toEqual([])
})
