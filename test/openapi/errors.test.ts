import { describe, expect, test } from 'vitest'
import { ngrok, standard } from '../../src/index.ts'
import { openApi } from '../../src/openapi/openapi.ts'

interface ErrorSchema {
  readonly properties?: { readonly error_code?: { readonly const?: string } }
  readonly examples?: readonly { readonly error_code: string; readonly msg: string }[]
}

describe.each([standard, ngrok])('In the document of the dialect $name', (dialect) => {
  const { components, paths } = openApi(dialect)
  const schemas = Object.entries(components.schemas as Readonly<Record<string, ErrorSchema>>)
  const errors = schemas.filter(([, { properties }]) => properties?.error_code?.const !== undefined)

  test('every error has an example whose message is one that a client could read', () => {
    expect(errors.length).toBeGreaterThan(90)
    for (const [key, { examples }] of errors) {
      const [example] = examples ?? []
      expect(example?.msg, key).toMatch(/^\S.*[.!?)`"]$/s)
      expect(example?.msg, key).not.toMatch(/\{\w+\}|undefined|NaN|\[object/)
    }
  })

  test('the example of an error of one field names a field that can meet it', () => {
    const { weight_out_of_range, num_buckets_out_of_range } = Object.fromEntries(errors)
    expect(weight_out_of_range?.examples?.[0]?.msg).toMatch(/^backends is "x"/)
    expect(num_buckets_out_of_range?.examples?.[0]?.msg).toMatch(/^num_buckets is "x"/)
  })

  test('a snapshot can be refused as every record in it can', () => {
    const said = JSON.stringify(paths['/_fauxgate/state']?.put?.responses)
    for (const key of ['field_invalid', 'domain_underscore', 'weight_out_of_range', 'num_buckets_out_of_range']) {
      expect(said).toContain(`#/components/schemas/${key}"`)
    }
  })
})
