import { groupOf, type Operation } from '../../core/operation/operation.ts'

/**
 * The nouns of resources by the names of their families, such as `reserved domain` and `reserved domains`, each with the
 * path of its list: null for modules and for lists within a resource.
 */
export type Nouns = Readonly<Record<string, readonly [one: string, many: string, list: string | null]>>

/** Returns the nouns that the summaries of operations have. Of two families with one noun, the second has that of its name. */
export function listNouns(operations: readonly Operation[]): Nouns {
  const known = new Map(operations.map((each) => [each.name, each]))
  const seen = new Set<string>()
  return Object.fromEntries(
    [...new Set(operations.map(groupOf))].map((name) => {
      const { summary = '' } = known.get(`${name}.create`) ?? known.get(`${name}.get`) ?? {}
      const list = known.get(`${name}.list`)
      const path = list && !list.path.includes('{') ? list.path : null
      const one = (/^(?:Create|Get) (?:an?|the) (.+)$/.exec(summary)?.[1] ?? name).replace(' module', '')
      const many = /^List (?:the )?(.+?)(?:,|$)/.exec(list?.summary ?? '')?.[1] ?? toPlural(one)
      const words = seen.has(one) ? name.replaceAll('_', ' ') : undefined
      seen.add(one)
      return [name, [words ?? one, words ?? many, path]]
    }),
  )
}

/** Returns the plural of a noun that no list has, such as `policies of a route`. */
function toPlural(one: string): string {
  const [part = '', owner = ''] = one.split(/ (?=of an? )/)
  return `${part.replace(/y$/, 'ie')}s ${owner}`.trim()
}
