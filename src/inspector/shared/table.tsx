import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Button } from './controls.tsx'
import { Windowed, type WindowedProps } from './windowed.tsx'

export interface Column<T> {
  /** The name by which the table is sorted. */
  readonly name: string
  /** The text of the head. Default: the name. */
  readonly label?: string
  readonly cell: (row: T) => ComponentChildren
  /** Returns the value by which the table is sorted. A column without it does not sort. */
  readonly by?: (row: T) => string | number
}

interface Sorting {
  /** The name of the column, after a minus if the order is descending. */
  readonly sort: string
  readonly setSort: (sort: string) => void
}

/** Sorts rows by a column. The value of each row is computed once. */
export function sortRows<T>(rows: readonly T[], columns: readonly Column<T>[], sort: string): readonly T[] {
  const by = columns.find(({ name }) => name === sort.replace('-', ''))?.by
  if (!by) return rows
  const sign = sort.startsWith('-') ? -1 : 1
  const compare = (a: string | number, b: string | number) => (a === b ? 0 : a < b ? -sign : sign)
  return rows
    .map((row) => ({ row, value: by(row) }))
    .sort((a, b) => compare(a.value, b.value))
    .map(({ row }) => row)
}

/** The head of a column. A press sorts by the column: first descending, then ascending. */
function Head({ tag: Tag, of, sort, setSort }: { tag: 'th' | 'span'; of: Column<never> } & Partial<Sorting>) {
  const { name, label = name } = of
  const isDescending = sort === `-${name}`
  const order = sort?.replace('-', '') === name ? (isDescending ? 'descending' : 'ascending') : undefined
  return (
    <Tag role="columnheader" class={`c-${name}`} aria-sort={order}>
      {of.by && setSort ? (
        <Button kind="quiet" label={`Sort by ${label}`} onClick={() => setSort(isDescending ? name : `-${name}`)}>
          {label} {order && (isDescending ? '↓' : '↑')}
        </Button>
      ) : (
        label
      )}
    </Tag>
  )
}

interface TableProps<T> extends Partial<Sorting> {
  columns: readonly Column<T>[]
  rows: readonly T[]
  /** The key of a row, so that inputs and questions stay with their rows. Default: the index. */
  keyOf?: (row: T) => string
}

/** A table that becomes a list of cards where there is little room. */
export function Table<T>({ columns, rows, keyOf, ...sorting }: TableProps<T>) {
  const [first, ...others] = columns
  return (
    <table>
      <thead>
        <tr>
          {columns.map((each) => (
            <Head key={each.name} tag="th" of={each} {...sorting} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf?.(row) ?? index}>
            <th scope="row">{first?.cell(row)}</th>
            {others.map(({ name, label = name, cell }) => (
              <td key={name} data-head={label}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export const ROW_HEIGHT = 30

interface LongTableProps<T> extends Pick<WindowedProps, 'onRange' | 'onHold'>, Partial<Sorting> {
  label: string
  /** The class of the rows, which has the widths of the columns. */
  kind: string
  columns: readonly Column<T>[]
  /** A string is a line between rows. */
  rows: readonly (T | string)[]
  keyOf: (row: T) => string | number
  chosen: T | undefined
  /** What the cells show besides their row: a row is rendered again only when it or one of these changes. */
  inputsOf?: (row: T) => readonly unknown[]
}

/** A long table with rows of one height, one line each. Only the visible rows are in the page. */
export function LongTable<T extends object>({ kind, columns, rows, keyOf, chosen, ...more }: LongTableProps<T>) {
  const { sort, setSort, inputsOf, ...rest } = more
  return (
    <Windowed
      total={rows.length}
      rowHeight={ROW_HEIGHT}
      heads={
        <Line kind={`${kind} heads`}>
          {columns.map((each) => (
            <Head key={each.name} tag="span" of={each} {...(setSort && { sort: sort ?? '', setSort })} />
          ))}
        </Line>
      }
      row={(index) => {
        const row = rows[index]
        if (row === undefined) return null
        if (typeof row === 'string')
          return (
            <Line key={row} kind="moved">
              <span role="cell">{row}</span>
            </Line>
          )
        const inputs = [row, row === chosen, ...(inputsOf?.(row) ?? [{}])]
        return <Cells key={keyOf(row)} inputs={inputs} of={row} columns={columns} kind={kind} />
      }}
      {...rest}
    />
  )
}

interface CellsProps<T> {
  of: T
  columns: readonly Column<T>[]
  kind: string
  inputs: readonly unknown[]
}

/** A row. The link in it covers the row. */
export function Cells<T>({ of, columns, kind, inputs }: CellsProps<T>) {
  return useMemo(
    () => (
      <Line kind={`${kind} ${inputs[1] ? 'chosen' : ''}`}>
        {columns.map(({ name, cell }) => (
          <span key={name} class={`c-${name}`} role="cell">
            {cell(of)}
          </span>
        ))}
      </Line>
    ),
    inputs,
  )
}

function Line({ kind, children }: { kind: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: rows of a table, unlike those of a grid, get no focus
    <div class={`line ${kind}`} role="row">
      {children}
    </div>
  )
}
