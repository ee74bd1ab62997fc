import type { CatalogueError } from './errors.ts'

/** All errors of a gateway, by key. */
export type Catalogue = ReadonlyMap<string, CatalogueError>

/**
 * Puts the errors of several rooms into one catalogue.
 * @throws TypeError where two errors have one key or one number.
 */
export function catalogueOf(groups: readonly Readonly<Record<string, CatalogueError>>[]): Catalogue {
  const catalogue = new Map<string, CatalogueError>()
  const byNumber = new Map<number, CatalogueError>()
  for (const error of groups.flatMap((group) => Object.values(group))) {
    const { key, number } = error
    const before = catalogue.get(key) ?? byNumber.get(number)
    if (before && before !== error) {
      const taken = `${before.key} has the number ${before.number} already`
      throw new TypeError(`The error ${key} has the number ${number}, but ${taken}. Each key and number is given once.`)
    }
    catalogue.set(key, error)
    byNumber.set(number, error)
  }
  return catalogue
}
