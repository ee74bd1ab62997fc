import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { page } from '../page.ts'
import { compileSearch, findHint, hasWord, toggleWord, type Words } from '../search.ts'
import { Button, Text } from './controls.tsx'
import { formatCount } from './format.ts'
import { EmptyState, Side, Split } from './layout.tsx'
import { type Column, LongTable, ROW_HEIGHT, sortRows } from './table.tsx'
import { goToRow } from './windowed.tsx'

const NEWEST = '-time'

interface LogProps<T> {
  /** The tab, such as `requests`. */
  tab: string
  /** All rows, newest first. */
  all: readonly T[]
  id: string
  idOf: (row: T) => string
  columns: readonly Column<T>[]
  inputsOf?: (row: T) => readonly unknown[]
  words: Words<T>
  /** Search terms that buttons toggle, with the labels of the buttons. */
  filters: Readonly<Record<string, string>>
  example: string
  /** Says how many rows were found. */
  count?: (found: readonly T[]) => string
  /** Returns the events between a row and the row before it. */
  between?: (row: T, before: T) => string
  details: (row: T) => ComponentChildren
  /** Explains why there is no row with the ID. Empty while the row may still arrive. */
  missing: string
  tools?: ComponentChildren
}

/** A live, searchable list of requests, with the details of the selected request. */
export function Log<T extends object>(props: LogProps<T>) {
  const { tab, all, id, idOf, columns, inputsOf, words, filters, example, between, details, missing, tools } = props
  const { count = (found) => `${formatCount(found.length)} of ${formatCount(held.current.length)} here` } = props
  const search = page.query.get('q') ?? ''
  const sort = page.query.get('sort') ?? NEWEST
  const [isHeld, setHeld] = useState(false)
  const held = useRef<readonly T[]>([])
  if (!isHeld || held.current.length === 0) held.current = all
  const [newest] = held.current
  const found = useMemo(
    () => sortRows(held.current.filter(compileSearch(search, words)), columns, sort === NEWEST ? '' : sort),
    [held.current, search, sort],
  )
  const rows = useMemo(() => {
    if (!between || sort !== NEWEST) return found
    return found.flatMap((row, index): (T | string)[] => {
      const before = found[index + 1]
      const text = before && between(row, before)
      return text ? [row, text] : [row]
    })
  }, [found, between !== undefined, sort])
  const chosen = all.find((each) => idOf(each) === id)
  const missed = newest ? all.findIndex((each) => idOf(each) === idOf(newest)) : 0
  const linkTo = (row: T) => page.linkWithin(`${tab}/${idOf(row)}`)
  const step = (by: number) => {
    const next = found[found.findIndex((each) => idOf(each) === id) + by]
    if (next) goToRow(linkTo(next), rows.indexOf(next), ROW_HEIGHT)
  }
  const showNew = () => {
    setHeld(false)
    document.querySelector('.windowed')?.scrollTo(0, 0)
  }
  const noRow = id && missing && (
    <Side title={id} back={page.linkWithin(tab)}>
      <p>{missing}</p>
    </Side>
  )
  return (
    <Split
      step={step}
      side={chosen ? details(chosen) : noRow}
      tools={
        <>
          <Text
            type="search"
            class="find"
            label={`Search ${tab}`}
            placeholder={`Search: ${example}`}
            value={search}
            set={(q) => page.setQuery({ q })}
          />
          {Object.entries(filters).map(([word, text]) => (
            <Button
              key={word}
              label={text.includes(' ') ? undefined : word}
              pressed={hasWord(search, word)}
              onClick={() => page.setQuery({ q: toggleWord(search, word) })}
            >
              {text}
            </Button>
          ))}
          <span class="dim">{count(found)}</span>
          {missed > 0 && (
            <Button kind="main" onClick={showNew}>
              {formatCount(missed)} new
            </Button>
          )}
          {tools}
        </>
      }
    >
      {found.length === 0 && <EmptyState title="No matching requests.">{findHint(search, words)}</EmptyState>}
      <LongTable
        label={`${tab[0]?.toUpperCase()}${tab.slice(1)}`}
        kind={tab}
        columns={columns}
        rows={rows}
        keyOf={idOf}
        chosen={chosen}
        sort={sort}
        setSort={(to) => page.setQuery({ sort: to })}
        {...(sort === NEWEST && { onHold: setHeld })}
        {...(inputsOf && { inputsOf })}
      />
    </Split>
  )
}
