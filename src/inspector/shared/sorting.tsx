import { Button } from './controls.tsx'

/** Sorts items by a value that is computed once for each; in descending order if the sort begins with a minus. */
export function sortBy<T>(items: readonly T[], by: (item: T) => string | number, sort: string): T[] {
  const sign = sort.startsWith('-') ? -1 : 1
  const compare = (a: string | number, b: string | number) => (a === b ? 0 : a < b ? -sign : sign)
  return items
    .map((item) => ({ item, value: by(item) }))
    .sort((a, b) => compare(a.value, b.value))
    .map(({ item }) => item)
}

/** A head that sorts by its column: first descending, then ascending. */
export function SortHead({ name, sort, set }: { name: string; sort: string; set: (sort: string) => void }) {
  const mark = sort === name ? '↑' : sort === `-${name}` ? '↓' : ''
  return (
    <Button kind={`quiet c-${name}`} label={`Sort by ${name}`} onClick={() => set(mark === '↓' ? name : `-${name}`)}>
      {name} {mark}
    </Button>
  )
}
