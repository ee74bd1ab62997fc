import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { entryPointsByImport } from '../../scripts/entries.ts'
import { EXPERIMENTAL } from '../../scripts/generate/stability.ts'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
const texts = new Map(sources.map((path) => [`src/${path}`, readFileSync(`src/${path}`, 'utf8')]))

/** Returns the types in a source that a pattern finds, each with the source. */
const typesIn = (pattern: RegExp) =>
  [...texts].flatMap(([path, text]) =>
    [...text.matchAll(pattern)].flatMap(([, names = '']) => names.split(', ').map((name) => [name, path] as const)),
  )

/** Returns the types of a name in the table, each with its source: a gateway's member, a matcher, or an entry point. */
function typesOf(name: string): (readonly [type: string, path: string])[] {
  const entry = entryPointsByImport[name]
  if (entry) return typesIn(/^export (?:type|interface) (\w+)/gm).filter(([, path]) => path === entry)
  if (name.startsWith('toHave'))
    return typesIn(new RegExp(`interface (\\w+)(?:<.*>)? \\{(?:(?!\\n\\})[\\s\\S])*? ${name}\\(`, 'g'))
  const member = name.replace(/^gateway\./, '')
  const [own] = typesIn(new RegExp(`interface \\w+Member \\{[^}]*readonly ${member}: (\\w+)$`, 'gm'))
  if (!own) return []
  const folder = own[1].replace(/^src(.*\/).*$/, String.raw`\.$1`)
  return [
    own,
    ...typesIn(new RegExp(`export type \\{ (.*) \\} from '${folder}(?:.*)'`, 'g'))
      .map(([type]) => type)
      .flatMap((type) => typesIn(new RegExp(`^export interface (${type})\\b`, 'gm'))),
  ]
}

const namesIn = (part: string) => [...part.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const types = new Map(EXPERIMENTAL.flatMap(namesIn).flatMap(typesOf))

it('The types of experimental parts are found by the names in the table of README.md, unless a part has none', () => {
  const without = EXPERIMENTAL.filter((part) => namesIn(part).flatMap(typesOf).length === 0)
  expect(without).toEqual(["the inspector's appearance", 'the Python and Go packages'])
})

it.each([...types])('The type %s carries @experimental, as README.md says', (name, path) => {
  const before = texts.get(path)?.split(new RegExp(`export (?:interface|type) ${name}\\b`))[0] ?? ''
  const docstring = before.slice(before.lastIndexOf('/**'))
  expect(docstring.trimEnd()).toMatch(/@experimental\n \*\/$/)
})

it('No type of a stable part carries @experimental', () => {
  const marked = typesIn(/@experimental\n \*\/\nexport (?:interface|type) (\w+)/g).map(([name]) => name)
  expect(marked.toSorted()).toEqual([...types.keys()].toSorted())
})
