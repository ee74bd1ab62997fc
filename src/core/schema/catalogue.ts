import type { CatalogueError } from './errors.ts'

/** The errors of a gateway, by key. */
export type Catalogue = ReadonlyMap<string, CatalogueError>

/**
 * Joins groups of errors into one catalogue.
 * @throws TypeError if two errors have the same key or the same number.
 */
export function createCatalogue(groups: readonly Readonly<Record<string, CatalogueError>>[]): Catalogue {
  const catalogue = new Map<string, CatalogueError>()
  const byNumber = new Map<number, CatalogueError>()
  for (const error of groups.flatMap((group) => Object.values(group))) {
    const { key, number } = error
    const other = catalogue.get(key) ?? byNumber.get(number)
    if (other && other !== error) {
      const taken = `${other.key} already uses this number`
      throw new TypeError(`The error ${key} has the number ${number}, but ${taken}. Keys and numbers must be unique.`)
    }
    catalogue.set(key, error)
    byNumber.set(number, error)
  }
  return catalogue
}
