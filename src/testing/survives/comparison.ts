import { listDifferences, valueAt } from './differences.ts'
import { type Ending, type Row, suffixOf } from './ending.ts'
import { describeValues, type RowDifference } from './values.ts'

/** Returns whether the code itself chose a value with this name. */
export type IsChosen = (name: string, value: unknown) => boolean

/** A difference between two endings. */
export interface EndingDifference {
  /** The difference, as a sentence fragment. */
  readonly message: string
  /** True if both endings have the same number of resources in each family, but different values. */
  readonly isOfValues: boolean
}

/**
 * Returns the first difference between the resources of two endings, as a sentence fragment, or undefined if there is none. IDs are equal
 * if they refer to the same resource. The order of creation does not matter.
 */
export function describeDifference(
  actual: Ending,
  expected: Ending,
  isChosen: IsChosen = () => false,
): EndingDifference | undefined {
  if (actual.text === expected.text) return undefined
  const counts = countDifference(actual.counts, expected.counts)
  const message = counts ?? describeValueDifference(actual, expected, isChosen)
  return message === undefined ? undefined : { message, isOfValues: counts === undefined }
}

function describeValueDifference(actual: Ending, expected: Ending, isChosen: IsChosen): string | undefined {
  const [found = [], wanted = []] = classify([actual, expected])
  if ([...found].sort().join() === [...wanted].sort().join()) return undefined
  const pairs = pairRows([actual, found], [expected, wanted])
  const stray = pairs.find(([row, other]) => (row.isOld || other.isOld) && row.key !== other.key)
  if (stray) {
    const [row, other] = stray
    return row.isOld
      ? `${nameOf(row)} still exists, but should have been deleted`
      : `${nameOf(other)} was deleted, but should still exist`
  }
  const differences = pairs.flatMap((pair) => compareRows(pair, pairs, actual, expected))
  const [first] = differences.filter(({ path, found }) => !isChosen(String(path.at(-1)), found))
  return first && `${nameOf(first.row)} ${describeValues(first, actual, expected)}`
}

const nameOf = ({ collection, key }: Row) => `${collection.name} ${key}`

/** Describes the first family that has more or fewer resources, such as `2 reserved_addrs, expected 1`. */
export function countDifference(
  actual: ReadonlyMap<string, number>,
  expected: ReadonlyMap<string, number>,
): string | undefined {
  for (const family of new Set([...expected.keys(), ...actual.keys()])) {
    const [count, other] = [actual.get(family) ?? 0, expected.get(family) ?? 0]
    if (count !== other) return `${count || 'no'} ${family}, expected ${other || 'none'}`
  }
  return undefined
}

/** The maximum number of successive references that are followed. */
const MAX_ROUNDS = 8

/**
 * Returns the class of each resource in each ending. Resources have the same class if their values are equal, if they refer to
 * resources of the same classes, and if resources of the same classes refer to them.
 */
function classify(endings: readonly Ending[]): readonly (readonly number[])[] {
  let classes: number[][] = endings.map((ending) => ending.rows.map(() => 0))
  for (let count = 0, rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const numbers = new Map<string, number>()
    const numberOf = (text: string) => {
      const number = numbers.get(text) ?? numbers.size
      numbers.set(text, number)
      return number
    }
    classes = endings.map((ending, place) => describeRows(ending, classes[place] ?? []).map(numberOf))
    if (numbers.size === count) break
    count = numbers.size
  }
  return classes
}

/** Returns each resource as a string, in which references from and to it are replaced with the classes of the other resources. */
function describeRows(ending: Ending, classes: readonly number[]): string[] {
  const rows = ending.rows
  const places = new Map(rows.map((row, place) => [nameOf(row), place]))
  const relabel = ending.relabelWith((row, made) => {
    const place = places.get(nameOf(row))
    // An ignored resource has no position.
    return row.isOld ? undefined : `#${place === undefined ? '' : classes[place]}.${made ?? ''}`
  })
  const users = rows.map((): number[] => [])
  for (const [place, references] of ending.listReferences().entries())
    for (const each of references) users[each]?.push(classes[place] ?? 0)
  return rows.map(
    ({ collection, values }, place) =>
      `${collection.name} ${relabel(JSON.stringify(values))} ${users[place]?.sort().join()}`,
  )
}

type Pair = readonly [found: Row, wanted: Row]

/**
 * Pairs the resources of two endings: first those with the same earlier ID, then those in the same class, and finally the most similar
 * ones.
 */
function pairRows(
  [actual, found]: readonly [Ending, readonly number[]],
  [expected, wanted]: readonly [Ending, readonly number[]],
): readonly Pair[] {
  const left = expected.rows.map((row, place) => ({ row, of: wanted[place] }))
  const pairs: Pair[] = []
  const take = (row: Row, place: number) => {
    const [other] = place < 0 ? [] : left.splice(place, 1)
    if (other) pairs.push([row, other.row])
    return other !== undefined
  }
  const isSame = (row: Row, other: Row) => row.isOld && other.isOld && nameOf(row) === nameOf(other)
  const rest = actual.rows
    .map((row, place) => ({ row, of: found[place] }))
    .filter(
      ({ row }) =>
        !take(
          row,
          left.findIndex((other) => isSame(row, other.row)),
        ),
    )
    .filter(
      ({ row, of }) =>
        !take(
          row,
          left.findIndex((other) => other.of === of),
        ),
    )
  for (const { row } of rest) {
    const [best] = left
      .map((other, place) => ({ other: other.row, place }))
      .filter(({ other }) => other.collection.name === row.collection.name)
      .map(({ other, place }) => ({ place, count: listDifferences(row.values, other.values).length }))
      .sort((one, other) => one.count - other.count)
    take(row, best?.place ?? -1)
  }
  return pairs
}

/** Compares the values of a pair, treating the IDs of each pair as equal. */
function compareRows([row, other]: Pair, pairs: readonly Pair[], actual: Ending, expected: Ending): RowDifference[] {
  const toFound = new Map(pairs.map(([found, wanted]) => [nameOf(wanted), found]))
  const relabel = actual.relabelWith(({ key, made }, place) => (place === undefined ? suffixOf(key) : made[place]))
  const translate = expected.relabelWith((wanted, place) => {
    const found = toFound.get(nameOf(wanted))
    return place === undefined ? found && suffixOf(found.key) : found?.made[place]
  })
  const read = (values: object, label: (text: string) => string) => JSON.parse(label(JSON.stringify(values)))
  const differences = listDifferences(read(row.values, relabel), read(other.values, translate))
  if (differences.length === 0) return []
  const [found, wanted] = [read(row.unmasked, relabel), read(other.unmasked, translate)]
  return differences.map(({ path }) => ({
    path,
    found: valueAt(found, path),
    wanted: valueAt(wanted, path),
    row,
    other,
  }))
}
