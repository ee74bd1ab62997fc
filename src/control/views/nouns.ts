import { groupOf, type Nouns, type Operation } from '../../core/operation/operation.ts'

/** The nouns for a family's resources, and the path of their list. */
export interface FamilyNouns extends Nouns {
  /** The path of its list; null for modules, and for lists within a resource. */
  readonly list: string | null
}

/**
 * Returns the nouns of families by name. A family without nouns, or with the same nouns as an earlier family, uses the words of its name.
 */
export function listNouns(operations: readonly Operation[]): Readonly<Record<string, FamilyNouns>> {
  const seen = new Set<string>()
  return Object.fromEntries(
    [...new Set(operations.map(groupOf))].map((name) => {
      const own = operations.filter((each) => groupOf(each) === name)
      const nouns = own.find((each) => each.nouns)?.nouns
      const key = JSON.stringify(nouns)
      const words = name.replaceAll('_', ' ')
      const chosen = nouns && !seen.has(key) ? nouns : { ...nouns, one: words, many: words }
      seen.add(key)
      const list = own.find((each) => each.name === `${name}.list` && !each.path.includes('{'))
      const fields = chosen.tableFields && { tableFields: [...chosen.tableFields] }
      return [name, { ...chosen, ...fields, list: list?.path ?? null }]
    }),
  )
}
