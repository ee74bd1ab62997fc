import { describe, expect, test } from 'vitest'
import { ngrok, standard } from '../../src/index.ts'
import { openApi } from '../../src/openapi/openapi.ts'

interface ErrorSchema {
  readonly properties?: {
    readonly error_code?: { readonly const?: string }
    readonly msg?: { readonly examples?: readonly string[] }
  }
}

interface FieldsSchema {
  readonly properties?: Readonly<Record<string, { readonly 'x-refused-as'?: readonly string[] }>>
}

describe.each([standard, ngrok])('In the document of the dialect $name', (dialect) => {
  const { components, paths } = openApi(dialect)
  const schemas = Object.entries(components.schemas as Readonly<Record<string, ErrorSchema>>)
  const errors = schemas.filter(([, { properties }]) => properties?.error_code?.const !== undefined)

  test('every error has an example whose message is one that a client could read', () => {
    expect(errors.length).toBeGreaterThan(90)
    for (const [key, { properties }] of errors) {
      const [example] = properties?.msg?.examples ?? []
      expect(example, key).toMatch(/^\S.*[.!?)`"}]$/s)
      expect(example, key).not.toMatch(/undefined|NaN|\[object/)
    }
  })

  test('the example of an error speaks of the header that the dialect has', () => {
    const { version_missing } = Object.fromEntries(errors)
    expect(version_missing?.properties?.msg?.examples).toEqual([
      `The header ${dialect.versionHeader} is missing. Send "${dialect.versionHeader}: 2".`,
    ])
  })

  test('a field names the errors of what is sent in it, each a schema of the document', () => {
    const { ReservedDomainCreate, Error: ofErrors } = components.schemas as Readonly<Record<string, FieldsSchema>>
    const { domain, metadata, description } = ReservedDomainCreate?.properties ?? {}
    expect(domain?.['x-refused-as']).toContain('domain_too_long')
    expect(metadata?.['x-refused-as']).toEqual(['domain_metadata_too_long'])
    expect(description).not.toHaveProperty('x-refused-as')
    expect(JSON.stringify(ofErrors)).not.toContain('x-refused-as')
    const named = [...JSON.stringify(components).matchAll(/"x-refused-as":(\[[^\]]*\])/g)]
    const keys = named.flatMap(([, list]) => JSON.parse(list as string) as string[])
    expect(keys.filter((key) => !errors.some(([name]) => name === key))).toEqual([])
  })

  test('every schema that has a name is one that something refers to', () => {
    const text = JSON.stringify({ paths, components })
    const unused = schemas.map(([name]) => name).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
    expect(unused).toEqual([])
  })

  test('a snapshot can be refused as every record in it can', () => {
    const said = JSON.stringify(paths['/_fauxgate/state']?.put?.responses)
    for (const key of ['field_invalid', 'domain_underscore', 'weight_out_of_range', 'num_buckets_out_of_range']) {
      expect(said).toContain(`#/components/schemas/${key}"`)
    }
  })
})
