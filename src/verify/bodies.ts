import type { Operation } from '../core/operation/operation.ts'
import { MAX_DESCRIPTION_BYTES, MAX_METADATA_BYTES } from '../core/schema/schema.ts'
import { partsOf } from '../core/schema/schema-parts.ts'
import type { FamilyExample } from './examples.ts'

/** A value that no field takes: a list of numbers. */
const WRONG_TYPE = [5]

/** The maximum bytes of the texts that have a limit. */
const LIMITS = { description: MAX_DESCRIPTION_BYTES, metadata: MAX_METADATA_BYTES }

/** Returns the texts of a body that have a limit. */
function limitedTexts(operation: Operation): (keyof typeof LIMITS)[] {
  return (['description', 'metadata'] as const).filter((field) => fieldsOf(operation).includes(field))
}

/** Returns changes that set the texts to their extremes, by how. */
export function extremeTexts(operation: Operation): [string, object][] {
  const fields = limitedTexts(operation)
  const all = (value: unknown) => Object.fromEntries(fields.map((field) => [field, value]))
  if (fields.length === 0) return []
  return [
    ['null for its texts', all(null)],
    ['the longest texts', Object.fromEntries(fields.map((field) => [field, 'x'.repeat(LIMITS[field])]))],
    ['empty texts', all('')],
  ]
}

/**
 * Returns bodies of creations, by what is wrong: those of the example, and three for each field. In these the field has
 * another type, is missing, or is nonsense. If the service accepts one, its resource is deleted at once.
 */
export function invalidCreations({ create, refused = {} }: FamilyExample, operation: Operation): [string, object][] {
  const renamed = withOtherNames(create)
  const ownFields = Object.entries(renamed).filter(([field]) => !Object.hasOwn(LIMITS, field))
  const bodies: [string, object][] = [
    ['an unknown field', { ...renamed, fauxgate_verify: 1 }],
    ...fieldsOf(operation).map((field): [string, object] => [
      `a ${field} of the wrong type`,
      { ...renamed, [field]: WRONG_TYPE },
    ]),
    ...limitedTexts(operation).map((field): [string, object] => [
      `a ${field} that is too long`,
      { ...renamed, [field]: `{mark}${'x'.repeat(5000)}` },
    ]),
    ...ownFields.map(([field]): [string, object] => [`no ${field}`, { ...renamed, [field]: undefined }]),
    // A name keeps the mark of the run.
    ...ownFields
      .filter(([, value]) => !isMarked({ value }))
      .flatMap(([field, value]): [string, object][] => {
        const nonsense = typeof value === 'string' ? 'nonsense' : Array.isArray(value) ? ['nonsense'] : undefined
        return nonsense ? [[`a ${field} that is nonsense`, { ...renamed, [field]: nonsense }]] : []
      }),
  ]
  return [...bodies.filter(([, body]) => isMarked(body)), ...Object.entries(refused)]
}

/** Returns true if a resource that is created nevertheless can be found again by its mark. */
function isMarked(body: object): boolean {
  return JSON.stringify(body).includes('{mark}')
}

export function fieldsOf({ body }: Operation): readonly string[] {
  return Object.keys(body ? (partsOf(body).entries ?? {}) : {})
}

/** Returns changes that are refused, by what is wrong. */
export function invalidChanges({ refusedUpdates = {} }: FamilyExample, operation: Operation): [string, object][] {
  const fields = fieldsOf(operation)
  return [
    ...fields.map((field): [string, object] => [`a ${field} of the wrong type`, { [field]: WRONG_TYPE }]),
    // As many characters as bytes are allowed.
    ...limitedTexts(operation).map((field): [string, object] => [
      `a ${field} one byte too long`,
      { [field]: `${'x'.repeat(LIMITS[field] - 1)}é` },
    ]),
    ...limitedTexts(operation).map((field): [string, object] => [
      `a ${field} whose name has a capital`,
      { [field.replace(/^./, (letter) => letter.toUpperCase())]: 'x' },
    ]),
    ...Object.entries(refusedUpdates),
  ]
}

/** Returns a body with a name that no other resource has. */
export function withOtherNames(create: object): object {
  return JSON.parse(JSON.stringify(create).replaceAll('{mark}-a', '{mark}-d').replaceAll('192.0.2.0', '203.0.113.0'))
}
