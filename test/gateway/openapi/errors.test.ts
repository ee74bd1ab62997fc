import { describe, expect, test } from 'vitest'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok, standard } from '../../../src/index.ts'

interface FieldsSchema {
  readonly properties?: Readonly<Record<string, { readonly 'x-refused-as'?: readonly string[] }>>
}

describe.each([standard, ngrok])('In the document of the dialect $name', (dialect) => {
  const { components, paths } = openApi(dialect)
  const examples = Object.entries(components.examples)

  test('every error has an example with a complete message', () => {
    expect(examples.length).toBeGreaterThan(90)
    for (const [key, { summary, value }] of examples) {
      expect(value.error_code).toBe(summary)
      expect(value.msg, key).toMatch(/^\S.*[.!?)`"}]$/s)
      expect(value.msg, key).not.toMatch(/undefined|NaN|\[object/)
    }
  })

  test('the example of an error names the header of the dialect', () => {
    expect(components.examples.version_missing?.value.msg).toBe(
      `The ${dialect.versionHeader} header is missing. Send "${dialect.versionHeader}: 2".`,
    )
  })

  test('the example of an error names a service domain of the dialect', () => {
    const [owned] = dialect.serviceDomains
    expect(components.examples.policy_on_service_domain?.value.msg).toContain(`"app.${owned}" belongs to the service.`)
  })

  test('every error is among the examples of a response with its status', () => {
    const items = Object.values(paths).flatMap((item) => Object.values(item))
    const listed = items.flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, item]) => {
        const response = '$ref' in item ? components.responses[item.$ref.split('/').at(-1) ?? ''] : item
        const named = Object.keys(response?.content?.['application/json']?.examples ?? {})
        return named.map((key) => `${status} ${key}`)
      }),
    )
    const known = examples.map(([key, { value }]) => `${value.status_code} ${key}`)
    expect([...new Set(listed)].sort()).toEqual(known.sort())
  })

  test('every operation has the responses that a server sends before it knows the operation', () => {
    for (const { responses } of Object.values(paths).flatMap((item) => Object.values(item))) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '408', '413', '429', '431', '500']))
    }
  })

  test('only a response with the status 429 says how long to wait', () => {
    const all = [...Object.values(paths).flatMap((item) => Object.values(item)), components]
    const allResponses = all.flatMap(({ responses }) =>
      Object.values(responses).flatMap((item) => ('$ref' in item ? [] : [item])),
    )
    const withRetryAfter = allResponses.filter(({ headers }) => 'Retry-After' in (headers ?? {}))
    expect(withRetryAfter.length).toBeGreaterThan(0)
    expect(withRetryAfter).toEqual(allResponses.filter(({ description }) => description.endsWith(' 429.')))
  })

  test('a field names the errors of its values, and each error is an example of the document', () => {
    const { ReservedDomainCreate, Error: errorSchema } = components.schemas as Readonly<Record<string, FieldsSchema>>
    const { domain, metadata, description } = ReservedDomainCreate?.properties ?? {}
    expect(domain?.['x-refused-as']).toContain('domain_too_long')
    expect(metadata?.['x-refused-as']).toEqual(['domain_metadata_too_long'])
    const tooLong = dialect.name === 'ngrok' ? ['domain_description_too_long'] : undefined
    expect(description?.['x-refused-as']).toEqual(tooLong)
    expect(JSON.stringify(errorSchema)).not.toContain('x-refused-as')
    const lists = [...JSON.stringify(components).matchAll(/"x-refused-as":(\[[^\]]*\])/g)]
    const keys = lists.flatMap(([, list]) => JSON.parse(list as string) as string[])
    expect(keys.filter((key) => !(key in components.examples))).toEqual([])
  })

  test('every named schema is used', () => {
    const text = JSON.stringify({ paths, components })
    const names = Object.keys(components.schemas)
    expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([])
  })

  test('the restoration of a snapshot has the errors of its records', () => {
    const responseText = JSON.stringify(
      openApi(dialect, { part: 'controls' }).paths['/_fauxgate/state']?.put?.responses,
    )
    for (const key of ['field_invalid', 'domain_underscore', 'weight_out_of_range', 'num_buckets_out_of_range']) {
      expect(responseText).toContain(`#/components/examples/${key}"`)
    }
  })
})

/** Errors that only the data of the dialect ngrok can cause. */
const ONLY_IN_NGROK = [
  'domain_dev',
  'domain_name_and_domain',
  'domain_of_company',
  'domain_of_service',
  'domain_redirect_too_long',
]

test('errors that only the data of one dialect can cause are only in the document of that dialect', () => {
  const listKeys = (dialect: typeof standard) => {
    const { paths, components } = openApi(dialect)
    const text = JSON.stringify([paths, components.schemas, components.responses])
    return ONLY_IN_NGROK.filter((key) => text.includes(`"${key}"`) || components.examples[key])
  }
  expect(listKeys(ngrok)).toEqual(ONLY_IN_NGROK)
  expect(listKeys(standard)).toEqual([])
  expect(listKeys({ ...standard, refusedDomains: { domain_of_company: ['acme.test'] } })).toEqual(['domain_of_company'])
})
