import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Copy } from './controls.tsx'
import { formatCount } from './format.ts'

type With<Props> = Props & { children: ComponentChildren }

export function Card({ title, count, wide, children }: With<{ title: string; count?: number; wide?: boolean }>) {
  return (
    <section class={`card ${wide ? 'wide' : ''}`}>
      <h2>
        {title} {count !== undefined && <small class="dim">{formatCount(count)}</small>}
      </h2>
      {children}
    </section>
  )
}

export function Split({ side, children }: With<{ side: ComponentChildren }>) {
  return (
    <div class={`fill flex ${side ? 'open' : ''}`}>
      <div class="list fill column">{children}</div>
      {side}
    </div>
  )
}

/** The details of the chosen entry. Closing them, also by Escape, leads back to a place in the page. */
export function Side({ title, mark, back, children }: With<{ title: string; mark?: ComponentChildren; back: string }>) {
  useEffect(() => {
    const close = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') location.hash = back
    }
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [])
  return (
    <aside aria-label={title}>
      <header class="row">
        <h2 class="fill">{title}</h2>
        {mark}
        <a class="close" href={`#${back}`} aria-label="Close">
          ×
        </a>
      </header>
      {children}
    </aside>
  )
}

export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return <dl>{of.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}</dl>
}

export function Table({ heads, rows }: { heads: readonly string[]; rows: readonly (readonly ComponentChildren[])[] }) {
  const row = (cells: readonly ComponentChildren[], index: number) => (
    <tr key={index}>{cells.map((cell, column) => (column === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>))}</tr>
  )
  return (
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>{rows.map(row)}</tbody>
    </table>
  )
}

const LONGEST_LIST = 200

interface RecordsProps<T> {
  of: readonly T[]
  keyOf: (item: T, index: number) => string | number
  children: (item: T) => ComponentChildren
}

export function Records<T>({ of, keyOf, children }: RecordsProps<T>) {
  const more = of.length - LONGEST_LIST
  return (
    <>
      <ul>
        {of.slice(0, LONGEST_LIST).map((item, index) => (
          <li key={keyOf(item, index)} class="record row">
            {children(item)}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="dim">{formatCount(more)} more are not shown.</p>}
    </>
  )
}

/** Rows above and below the visible ones, so that they are there when somebody scrolls. */
const MARGIN = 8

interface WindowedProps {
  total: number
  rowHeight: number
  label: string
  onRange?: (range: { first: number; count: number }) => void
  row: (index: number) => ComponentChildren
}

/** A long list of rows of one height. Only the visible ones are in the page. */
export function Windowed({ total, rowHeight, label, onRange, row }: WindowedProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [{ first, count }, setRange] = useState({ first: 0, count: 30 })
  const look = () => {
    const { scrollTop, clientHeight } = scroller.current ?? { scrollTop: 0, clientHeight: 600 }
    const range = {
      first: Math.max(0, Math.floor(scrollTop / rowHeight) - MARGIN),
      count: Math.ceil(clientHeight / rowHeight) + 2 * MARGIN,
    }
    if (range.first === first && range.count === count) return
    setRange(range)
    onRange?.(range)
  }
  useLayoutEffect(() => {
    look()
    addEventListener('resize', look)
    return () => removeEventListener('resize', look)
  })
  const visible = Math.max(0, Math.min(count, total - first))
  return (
    <div class="windowed fill" ref={scroller} onScroll={look} tabIndex={0} role="region" aria-label={label}>
      <div class="whole" style={{ height: `${total * rowHeight}px` }}>
        <div role="list" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {Array.from({ length: visible }, (_, index) => row(first + index))}
        </div>
      </div>
    </div>
  )
}

export type Tone = 'good' | 'bad' | 'busy' | 'dim'

export function Chip({ tone, children }: With<{ tone: Tone }>) {
  return <span class={`chip ${tone}`}>{children}</span>
}

export function StatusChip({ status }: { status: number }) {
  return <Chip tone={status >= 400 ? 'bad' : status < 300 ? 'good' : 'dim'}>{status}</Chip>
}

export function OutcomeChip({ outcome }: { outcome: string }) {
  return <Chip tone={outcome === 'success' ? 'good' : 'bad'}>{outcome}</Chip>
}

export function Empty({ title, command, children }: { title: string; command?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <b>{title}</b> {children}
      {command && (
        <div class="shell flex">
          <code>{command}</code>
          <Copy text={() => command} />
        </div>
      )}
    </div>
  )
}

export function Json({ value, title }: { value: unknown; title?: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <>
      {title && (
        <h3>
          {title} <Copy text={() => text} />
        </h3>
      )}
      <pre tabIndex={0}>{text}</pre>
    </>
  )
}
