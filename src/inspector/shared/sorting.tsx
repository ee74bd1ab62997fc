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

interface SortHeadProps {
  name: string
  /** The text of the head. Default: the name. */
  label?: string
  sort: string
  set: (sort: string) => void
  tag?: 'span' | 'th'
}

/** A head that sorts by its column: first descending, then ascending. */
export function SortHead({ name, label = name, sort, set, tag: Tag = 'span' }: SortHeadProps) {
  const isSorted = sort.replace('-', '') === name
  const isDescending = isSorted && sort !== name
  return (
    <Tag
      role="columnheader"
      class={`c-${name}`}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <Button kind="quiet" label={`Sort by ${label}`} onClick={() => set(isDescending ? name : `-${name}`)}>
        {label} {isSorted && (isDescending ? '↓' : '↑')}
      </Button>
    </Tag>
  )
}
