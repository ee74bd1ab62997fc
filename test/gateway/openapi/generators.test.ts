import { describe, expect, test } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { type OpenApiDocument, openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok, standard } from '../../../src/index.ts'

interface Part {
  readonly path: string
  readonly schema: Readonly<Record<string, unknown>>
}

const documents = [standard, ngrok].flatMap((dialect) =>
  (['service', 'controls'] as const).map((part) => {
    const families = dialect === ngrok ? ngrokFamilies : {}
    return { name: `${part} of ${dialect.name}`, document: openApi(dialect, { families, part }) }
  }),
)

/** Lists the objects of a document, each with its path. */
function listParts(value: unknown, path: string): Part[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, each]) => listParts(each, `${path}/${name}`))
  return Array.isArray(value) ? inner : [{ path, schema: { ...value } }, ...inner]
}

/** Lists the paths of the parts with a property. */
const listWith = ({ paths, components }: OpenApiDocument, isFound: (part: Part) => boolean) =>
  [...listParts(paths, 'paths'), ...listParts(components, 'components')].filter(isFound).map(({ path }) => path)

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** Returns whether a part holds properties: a property can have the name of a word of JSON Schema, such as `title`. */
const isProperties = ({ path }: Part) => path.endsWith('/properties')

// Generators make a type of each title, a constant of each value of an enum, and one type of all further fields of an object.
// Each generator in tools/generated-clients drops or breaks something at one of these.
describe.each(documents)('For generators of clients, in the document of the $name,', ({ document }) => {
  test('a title is the name of its own component', () => {
    const isForeign = ({ path, schema: { title } }: Part) =>
      typeof title === 'string' && path !== `components/schemas/${title}`
    expect(listWith(document, isForeign)).toEqual([])
  })

  test('an enum has no null', () => {
    const hasNull = ({ schema }: Part) => Array.isArray(schema.enum) && schema.enum.includes(null)
    expect(listWith(document, hasNull)).toEqual([])
  })

  test('an object with properties gives its further fields no type', () => {
    const isMixed = (part: Part) =>
      !isProperties(part) && isObject(part.schema.properties) && isObject(part.schema.additionalProperties)
    expect(listWith(document, isMixed)).toEqual([])
  })

  test('there are titles, enums and objects', () => {
    const has = (word: string) => listWith(document, ({ schema }) => schema[word] !== undefined).length
    expect(['title', 'enum', 'properties', 'additionalProperties'].map(has).every((count) => count > 2)).toBe(true)
  })
})

test.each(documents.filter(({ name }) => name.startsWith('service')))(
  'error_code of a job is open in the document of the $name: the service may add others',
  ({ document }) => {
    const codes = listParts(document.components, '').filter(({ path }) => /CertJob\/properties\/error_code$/.test(path))
    expect(codes.map(({ schema }) => [schema.type, schema.enum])).toEqual([[['string', 'null'], undefined]])
  },
)
