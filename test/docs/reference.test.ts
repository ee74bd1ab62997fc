import { expect, test } from 'vitest'
import { idPattern } from '../../src/core/schema/ids.ts'

const { formatFieldTable } = await import(new URL('../../scripts/generate/reference/fields.mjs', import.meta.url).href)

/** Returns the words of the reference about a text field with this JSON Schema. */
function describeField(json: object): string | undefined {
  const table: string = formatFieldTable({ properties: { field: { type: 'string', ...json } } })
  return /\| `field` \| string \| (.*) \|$/.exec(table)?.[1]
}

test.each([
  [{ description: 'The owner.', pattern: idPattern('u2f') }, 'The owner. An id `u2f_…`.'],
  [{ description: 'An id that starts with `rd_`.', pattern: idPattern('rd') }, 'An id that starts with `rd_`.'],
  [{ description: 'The order.', enum: ['newest', 'oldest'] }, 'The order. One of `newest`, `oldest`.'],
  [{ description: 'Where: `edge` or `upstream`.', enum: ['edge', 'upstream'] }, 'Where: `edge` or `upstream`.'],
  [
    { description: 'The kind, such as `edge`.', enum: ['edge', 'upstream', ''] },
    'The kind, such as `edge`. One of `edge`, `upstream`.',
  ],
])('The reference says the limits of a field that its sentence does not say: %j', (json, words) => {
  expect(describeField(json)).toBe(words)
})
