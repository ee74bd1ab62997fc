import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { operations, sectionsOf } from '../../scripts/generate/evidence/rules.ts'
import { KINDS } from '../../scripts/generate/evidence/sources.ts'
import { readTrafficPages } from '../../scripts/generate/evidence/traffic-pages.ts'
import { evidenceOf, evidenceReference, ownFamilies } from '../../scripts/generate/evidence.ts'
import { groupOf } from '../../src/core/operation/operation.ts'
import { ngrokFamilies } from '../../src/gateway/ngrok.ts'
import type { Evidence } from '../../src/gateway/openapi/evidence.ts'
import { type OpenApiDocument, openApi } from '../../src/gateway/openapi/openapi.ts'
import { ngrok, standard } from '../../src/index.ts'
import clients from '../../tools/evidence/clients.json'
import reference from '../../tools/evidence/service.json'
import unsent from '../../tools/evidence/unsent-codes.json'

const sections = sectionsOf('.')
const service = openApi(ngrok, { families: ngrokFamilies })
const controls = openApi(ngrok, { families: ngrokFamilies, part: 'controls' })

describe('Every rule of the API has a source', () => {
  const all = evidenceOf(sections)

  it.each(['operations', 'fields', 'errors'] as const)('each of the %s', (kind) => {
    const rules = Object.entries(all[kind])
    expect(rules.length).toBeGreaterThan(100)
    expect(rules.filter(([, found]) => Object.keys(found).length === 0).map(([name]) => name)).toEqual([])
  })

  it('but a field that no source names has none, in a family that a source knows', () => {
    const own = ownFamilies()
    const known = operations.filter((each) => !own.includes(groupOf(each)))
    const operationsWithField = known.map((each) => ({
      ...each,
      sends: [{ key: 'Invented.field', path: 'no_such_field', cites: undefined, isExtra: false }],
    }))
    expect(evidenceOf(sections, operationsWithField).fields['Invented.field']).toEqual({})
  })

  it('and an operation that no source names has none, unless no source names its family', () => {
    const addOperation = (name: string, call: string) =>
      operations.flatMap((each) => (each.name === 'reserved_addrs.get' ? [each, { ...each, name, call }] : [each]))
    const known = addOperation('reserved_addrs.rename', 'POST /reserved_addrs/{id}/name')
    expect(evidenceOf(sections, known).operations['reserved_addrs.rename']).toEqual({})
    expect(ownFamilies(known)).not.toContain('reserved_addrs')
    const unknown = addOperation('address_lists.get', 'GET /address_lists/{id}')
    expect(ownFamilies(unknown)).toContain('address_lists')
    expect(evidenceOf(sections, unknown).operations['address_lists.get']).toEqual({
      decided: ['one-table#own-families'],
    })
  })

  it('and the sources name only existing calls: after a misspelling, a family would be our own', () => {
    const calls = operations.map(({ call }) => call)
    const known = [...Object.keys(clients.calls), ...Object.keys(reference.calls)]
    expect(known.filter((call) => !calls.includes(call))).toEqual([])
  })

  it('and a field that cites a section has the evidence of the section', () => {
    expect(all.fields['ApiKeyCreate.precomputed_token']?.decided).toEqual(['ngrok-families#keys-and-credentials'])
  })
})

describe('Every section of docs/decisions has its evidence', () => {
  it.each(sections.map((section) => [section.name, section] as const))('%s', (_name, { evidence }) => {
    expect(Object.keys(evidence).length).toBeGreaterThan(0)
    expect(KINDS).toEqual(expect.arrayContaining(Object.keys(evidence)))
    // A page, a statement of the API reference, or a standard.
    const named = /\]\(https:|API reference|RFC \d|CEL language/
    if (evidence.documented !== undefined) expect(evidence.documented).toMatch(named)
    if (evidence.recorded !== undefined) expect(evidence.recorded).toMatch(/\d{4}-\d{2}-\d{2}/)
  })

  it('and each doubt is about existing operations', () => {
    const names = operations.map(({ name }) => name)
    const about = sections.flatMap(({ doubts }) => doubts.flatMap((doubt) => doubt.about))
    expect(about.length).toBeGreaterThan(10)
    expect(about.filter((name) => !names.includes(name))).toEqual([])
  })

  it('and the parser finds every doubt', () => {
    const pages = [...new Set(sections.map(({ name }) => name.replace(/#.*/, '')))]
    const texts = pages.map((page) => readFileSync(`docs/decisions/${page}.md`, 'utf8')).join('\n')
    expect(sections.flatMap(({ doubts }) => doubts)).toHaveLength([...texts.matchAll(/^Doubt /gm)].length)
  })
})

describe('The OpenAPI document', () => {
  const items = Object.values(service.paths).flatMap((path) => Object.values(path))

  const sourcesIn = (document: OpenApiDocument, evidence: Evidence) =>
    Object.fromEntries(
      Object.entries(evidence).map(([kind, places]) => [
        kind,
        places.map((at: number) => document['x-fauxgate-sources'][at]),
      ]),
    )

  it('has the evidence of each operation', () => {
    const itemsWithoutEvidence = items.filter((item) => Object.keys(item['x-fauxgate-evidence'] ?? {}).length === 0)
    expect(itemsWithoutEvidence.map(({ operationId }) => operationId)).toEqual([])
  })

  it('has the evidence of each error, also of the controls', () => {
    const errors = { ...service.components.examples, ...controls.components.examples }
    expect(Object.keys(errors).filter((key) => !errors[key]?.['x-fauxgate-evidence'])).toEqual([])
  })

  it('has the evidence of each field of a type', () => {
    const { addr = {} } = service.components.schemas.ReservedAddress?.['x-fauxgate-evidence'] ?? {}
    expect(sourcesIn(service, addr)).toEqual({
      documented: ['API reference of 2026-08-07, "Endpoints, Reserved addresses"'],
      client: ['ngrok-api-go 9.0.0', 'ngrok-api-go 5.0.0', 'ngrok-api-typescript 0.11.0'],
      recorded: ["examples of ngrok's API reference, recorded on 2024-12-12"],
    })
  })

  it('lists each source once, and refers to each source', () => {
    for (const { 'x-fauxgate-sources': sources, ...document } of [service, controls, openApi(standard)]) {
      const lists = [...JSON.stringify(document).matchAll(/"(?:documented|client|recorded|decided)":\[([\d,]+)\]/g)]
      const places = new Set(lists.flatMap(([, list = '']) => list.split(',').map(Number)))
      expect([...places].sort((a, b) => a - b)).toEqual(sources.map((_, place) => place))
      expect(new Set(sources).size).toBe(sources.length)
    }
  })

  it('has a link for each decision', () => {
    const document = openApi(standard)
    const { certificate = {} } = document.components.schemas.ReservedDomain?.['x-fauxgate-evidence'] ?? {}
    expect(sourcesIn(document, certificate).decided).toEqual([
      'https://github.com/fauxgate/fauxgate/blob/main/docs/decisions/domain-certificates.md#accepted-certificates',
    ])
  })
})

test('docs/differences.md lists every open doubt, and every part of the API', () => {
  const page = readFileSync('docs/differences.md', 'utf8')
  for (const { name } of sections.flatMap(({ doubts }) => doubts)) expect(page).toContain(`- \`${name}\`: `)
  for (const { call } of operations) expect(page).toContain(`\`${/\/(?:(?:edges|backends)\/)?\w+/.exec(call)?.[0]}\``)
})

test('docs/fidelity.md has the share of decisions', () => {
  expect(readFileSync('docs/fidelity.md', 'utf8')).toMatch(/\*\*\d+\.\d %\*\*/)
})

test('docs/evidence-reference.md has the evidence of every operation, the references, every page about policies, and every reason for an unsent code', () => {
  const page = evidenceReference('.')
  const [, documented, client] =
    /^\| `GET \/reserved_addrs` \| (\d+) \| (\d+) \| .*`code-of-a-wrong-filter` \|$/m.exec(page) ?? []
  expect([documented, client].every((count) => Number(count) > 10)).toBe(true)
  for (const { call } of operations)
    expect(page).toMatch(new RegExp(`^\\| \`${call.replaceAll(/[{}]/g, '.')}\` \\| \\d`, 'm'))
  expect(page.match(/^\| `\w+`: `.+ \| .+ \| .+ \| .+ \| \[.+\]\(decisions\/.+$/gm)?.length).toBeGreaterThan(50)
  for (const { page: name } of readTrafficPages()) expect(page).toContain(`| [${name.replace('traffic-policy/', '')}](`)
  for (const { codes, because } of unsent.rows) expect(page).toContain(`| ${codes} | ${because} |`)
})
