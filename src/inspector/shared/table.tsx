import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Button } from './controls.tsx'
import { Windowed, type WindowedProps } from './windowed.tsx'

export interface Column<T> {
  /** The name by which the table can be sorted. */
  readonly name: string
  /** The header text. Default: the name. */
  readonly label?: string
  readonly cell: (row: T) => ComponentChildren
  /** Returns the value by which the table is sorted. Columns without this function cannot be sorted. */
  readonly by?: (row: T) => string | number
}

interface Sorting {
  /** The name of the column, preceded by a minus sign if the order is descending. */
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

/** A column header. Pressing it sorts by the column, first in descending order, then in ascending order. */
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
  /** The key of a row. It keeps inputs and confirmations with their rows. Default: the index. */
  keyOf?: (row: T) => string
}

/** A table that turns into a list of cards where space is limited. */
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
  /** The class of the rows. It defines the column widths. */
  kind: string
  columns: readonly Column<T>[]
  /** A string is a line between rows. */
  rows: readonly (T | string)[]
  keyOf: (row: T) => string | number
  chosen: T | undefined
  /** Other values that the cells depend on. A row is rendered again only when the row or one of these values changes. */
  inputsOf?: (row: T) => readonly unknown[]
}

/** A long table whose rows are one line each, all with the same height. Only the visible rows are in the document. */
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

/** A row. Its link covers the whole row. */
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
