import { describe, expect, test } from 'vitest'
import { createGateway, type Dialect, type Gateway, ngrok, standard } from '../../src/index.ts'
import { IDS, TEMPLATES } from '../support/bodies.ts'
import { client } from '../support/client.ts'
import { listPaths, replaceAt, valueAt } from '../support/damage.ts'
import { findBodyProblems } from '../support/documented.ts'

type Template = (typeof TEMPLATES)[number]

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)

/** A body with one part of another type, or with one too few or too many. */
function othersOf(body: object): unknown[] {
  const paths = [...listPaths(body)]
  const others = [5, true, 'x', [], {}, [5], { x: 5 }]
  const retyped = paths.flatMap((path) => {
    const type = typeOf(valueAt(body, path))
    return others.filter((other) => typeOf(other) !== type).map((other) => replaceAt(body, path, other))
  })
  // As JSON, in which what is undefined is not there.
  const fewer = paths.map((path) => JSON.parse(JSON.stringify(replaceAt(body, path, undefined))))
  return [...retyped, ...fewer, {}, { ...body, unheard_of: 'x' }]
}

/** A template by the other names that a dialect has for its fields. */
function renamed([method, path, body]: Template, { fieldAliases }: Dialect): Template {
  const names = Object.entries(fieldAliases[path.split('/')[1] ?? ''] ?? {})
  const other = (name: string) => names.find(([, own]) => own === name)?.[0] ?? name
  return [method, path, Object.fromEntries(Object.entries(body).map(([name, value]) => [other(name), value]))]
}

function templatesOf(dialect: Dialect): Template[] {
  const inEnvelopes = TEMPLATES.filter(([, path]) => path.startsWith('/edges')).map(
    ([method, path, body]): Template => [method, path, { ...IDS, module: body }],
  )
  const all = [...TEMPLATES, ...TEMPLATES.map((each) => renamed(each, dialect)), ...inEnvelopes]
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
}

/** Returns the id of a new resource of a kind. */
function idOf({ reservedDomains, reservedAddrs }: Gateway, kind: string): string {
  return (kind === 'domain' ? reservedDomains.create({ domain: 'app.example.com' }) : reservedAddrs.create()).id
}

/** The rules of bodies that the document says in words: a part depends on another. */
const IN_WORDS = /_(?:422|506|2204|7027)$/

describe.each([standard, ngrok])('The document of the dialect $name allows', (dialect) => {
  test.each(templatesOf(dialect))(
    'what is taken as %s %s %j, and nothing of other types',
    async (method, path, body) => {
      const differences: string[] = []
      for (const json of [body, ...othersOf(body)]) {
        const gateway = createGateway({ dialect, seed: 'bodies' })
        const url = gateway.url + path.replace(/\{(domain|address)\}/, (_, kind) => idOf(gateway, kind))
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
