import { groupOf, type Operation } from '../../core/operation/operation.ts'

/** The nouns of resources by the names of their families, such as `reserved domain` and `reserved domains`. */
export type Nouns = Readonly<Record<string, readonly [one: string, many: string]>>

/** Returns the nouns that the summaries of operations have. */
export function listNouns(operations: readonly Operation[]): Nouns {
  const summaries = new Map(operations.map(({ name, summary }) => [name, summary]))
  return Object.fromEntries(
    [...new Set(operations.map(groupOf))].map((name) => {
      const ofOne = summaries.get(`${name}.create`) ?? summaries.get(`${name}.get`) ?? ''
      const one = (/^(?:Create|Get) (?:an?|the) (.+)$/.exec(ofOne)?.[1] ?? name).replace(' module', '')
      const listed = /^List (?:the )?(.+?)(?:,|$)/.exec(summaries.get(`${name}.list`) ?? '')?.[1]
      return [name, [one, listed ?? toPlural(one)]]
    }),
  )
}

/** Returns the plural of a noun that no list has, such as `policies of a route`. */
function toPlural(one: string): string {
  const [part = '', owner = ''] = one.split(/ (?=of an? )/)
  return `${part.replace(/y$/, 'ie')}s ${owner}`.trim()
}
