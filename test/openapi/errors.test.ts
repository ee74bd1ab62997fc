import { describe, expect, test } from 'vitest'
import { ngrok, standard } from '../../src/index.ts'
import { openApi } from '../../src/openapi/openapi.ts'

interface ErrorSchema {
  readonly properties?: {
    readonly error_code?: { readonly const?: string }
    readonly msg?: { readonly examples?: readonly string[] }
  }
}

describe.each([standard, ngrok])('In the document of the dialect $name', (dialect) => {
  const { components, paths } = openApi(dialect)
  const schemas = Object.entries(components.schemas as Readonly<Record<string, ErrorSchema>>)
  const errors = schemas.filter(([, { properties }]) => properties?.error_code?.const !== undefined)

  test('every error has an example whose message is one that a client could read', () => {
    expect(errors.length).toBeGreaterThan(90)
    for (const [key, { properties }] of errors) {
      const [example] = properties?.msg?.examples ?? []
      expect(example, key).toMatch(/^\S.*[.!?)`"]$/s)
      expect(example, key).not.toMatch(/\{\w+\}|undefined|NaN|\[object/)
    }
  })

  test('the example of an error of one field names a field that can meet it', () => {
    const { weight_out_of_range, num_buckets_out_of_range } = Object.fromEntries(errors)
    expect(weight_out_of_range?.properties?.msg?.examples?.[0]).toMatch(/^backends is "x"/)
    expect(num_buckets_out_of_range?.properties?.msg?.examples?.[0]).toMatch(/^num_buckets is "x"/)
  })

  test('a snapshot can be refused as every record in it can', () => {
    const said = JSON.stringify(paths['/_fauxgate/state']?.put?.responses)
    for (const key of ['field_invalid', 'domain_underscore', 'weight_out_of_range', 'num_buckets_out_of_range']) {
      expect(said).toContain(`#/components/schemas/${key}"`)
    }
  })
})
