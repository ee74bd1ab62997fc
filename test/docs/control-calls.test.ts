import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { controlCalls } from '../../src/control/controls.ts'
import { innermostParts } from '../../src/core/schema/schema-parts.ts'

const page = readFileSync(new URL('../../docs/control-api.md', import.meta.url), 'utf8')

const calls = controlCalls.map(({ method, path, schema }) => ({
  method,
  name: `${method} /_fauxgate${path}`,
  fields: Object.keys((schema && innermostParts(schema).entries) ?? {}),
}))

describe('The row of a control call on the page (rules: control-api#calls)', () => {
  test.each(calls)(
    'names fields that the call has, and lists all of them or none: $name',
    ({ method, name, fields }) => {
      const [row = ''] = page
        .split('\n')
        .filter((line) => [`${name}\``, `${name}?`].some((start) => line.startsWith(`| \`${start}`)))
      expect(row).not.toBe('')
      const [, listed] = row.match(/ Fields: (`[^.]*)\./) ?? []
      if (listed !== undefined) expect(listed).toBe(fields.map((field) => `\`${field}\``).join(', '))
      // The example of a GET is its response.
      const named = [...(method === 'GET' ? [] : listExampleFields(row)), ...listQueryFields(row)]
      expect(fields).toEqual(expect.arrayContaining(named))
    },
  )
})

/** Returns the fields of the examples of bodies in a row. */
function listExampleFields(row: string): string[] {
  return [...row.matchAll(/`(\{".*?\})`/g)].flatMap(([, example = '']) => Object.keys(JSON.parse(example)))
}

/** Returns the fields of the queries in a row. */
function listQueryFields(row: string): string[] {
  return [...row.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
    [...code.matchAll(/[?&](\w+)=/g)].map(([, field = '']) => field),
  )
}
