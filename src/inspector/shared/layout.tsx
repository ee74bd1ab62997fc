import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Copy } from './controls.tsx'
import { formatCount } from './format.ts'

/** The mark of the product, a gate. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M3 14V6a5 5 0 0 1 10 0v8M8 14V7" />
    </svg>
  )
}

type WithChildren<Props> = Props & { children: ComponentChildren }

export function Card({
  title,
  note,
  wide,
  children,
}: WithChildren<{ title: ComponentChildren; note?: string | number; wide?: boolean }>) {
  return (
    <section class={`card ${wide ? 'wide' : ''}`}>
      <h2 tabIndex={-1}>
        {title} <small class="dim">{typeof note === 'number' ? formatCount(note) : note}</small>
      </h2>
      {children}
    </section>
  )
}

interface SplitProps {
  tools: ComponentChildren
  /** The details of the chosen entry. They cover a part of the list, whose rows do not move. */
  side: ComponentChildren
  /** Goes to the entry before or after the chosen one: the keys j, k and the arrows call it. */
  step?: (by: number) => void
}

export function Split({ tools, side, step, children }: WithChildren<SplitProps>) {
  useKeys((key) => {
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key]
    if (by) step?.(by)
    return by !== undefined && step !== undefined
  })
  return (
    <div class={`fill column ${side ? 'open' : ''}`}>
      {tools && <div class="tools row">{tools}</div>}
      <div class="split fill flex">
        <div class="list fill column">{children}</div>
        {side}
      </div>
    </div>
  )
}

/** Calls `pressed` with each key outside of inputs. If it returns true, the browser ignores the key. */
export function useKeys(pressed: (key: string) => boolean): void {
  const current = useRef(pressed)
  current.current = pressed
  // Before the first paint: a key may be pressed immediately.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event
      const isTyping =
        target instanceof Element && target.closest('input, select, textarea, pre, svg') && key !== 'Escape'
      if (!isTyping && !ctrlKey && !metaKey && !altKey && current.current(key)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

interface SideProps {
  title: string
  mark?: ComponentChildren
  /** The place to go to, or the function to call, when the user closes the details. */
  back: string | (() => void)
}

/** The details of the chosen entry, which get the focus. Closing them, also by Escape, gives it back to the entry. */
export function Side({ title, mark, back, children }: WithChildren<SideProps>) {
  const heading = useRef<HTMLHeadingElement>(null)
  const close = () => {
    if (typeof back === 'string') location.hash = back
    else back()
    return true
  }
  useKeys((key) => key === 'Escape' && close())
  useEffect(() => {
    const place = location.hash
    heading.current?.focus()
    return () => {
      const giveBack = () => {
        // The user may have moved the focus already.
        if (document.querySelector('aside') || document.activeElement !== document.body) return
        document.querySelector<HTMLElement>(`.list a[href="${CSS.escape(place)}"], .tools .main`)?.focus()
      }
      setTimeout(giveBack)
    }
  }, [])
  return (
    <aside aria-label={title}>
      <header class="row">
        <h2 class="fill" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {mark}
        <button type="button" class="quiet close" onClick={close} aria-label="Close">
          ×
        </button>
      </header>
      {children}
    </aside>
  )
}

/** The details of something that is not there, for example because a link is old. */
export function Missing({ children, ...side }: WithChildren<Omit<SideProps, 'mark'>>) {
  return (
    <Side {...side}>
      <p>{children}</p>
    </Side>
  )
}

export function DefinitionList({
  of,
}: {
  of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
}) {
  return <dl>{of.flatMap(([name, value]) => [<dt>{name}</dt>, <dd>{value}</dd>])}</dl>
}

interface TableProps {
  heads: readonly ComponentChildren[]
  rows: readonly (readonly ComponentChildren[])[]
  /** The keys of the rows, so that inputs and questions stay with their rows. Default: the index. */
  keys?: readonly string[]
}

export function Table({ heads, rows, keys = [] }: TableProps) {
  return (
    <table>
      <thead>
        <tr>{heads.map((head) => (typeof head === 'string' ? <th scope="col">{head}</th> : head))}</tr>
      </thead>
      <tbody>
        {rows.map(([first, ...others], index) => (
          <tr key={keys[index] ?? index}>
            <th scope="row">{first}</th>
            {others.map((cell, at) => (
              <td data-head={getHeadText(heads[at + 1])}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Returns the text of a head, which narrow tables show in each cell. */
function getHeadText(head: ComponentChildren): string {
  return typeof head === 'string' ? head : String(Object(head).props?.name)
}

const MAX_SHOWN_RECORDS = 200

interface RecordsProps<T> {
  of: readonly T[]
  keyOf: (item: T, index: number) => string | number
  children: (item: T) => ComponentChildren
}

export function RecordList<T>({ of, keyOf, children }: RecordsProps<T>) {
  const more = of.length - MAX_SHOWN_RECORDS
  return (
    <>
      <ul>
        {of.slice(0, MAX_SHOWN_RECORDS).map((item, index) => (
          <li key={keyOf(item, index)} class="record row">
            {children(item)}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="dim">{formatCount(more)} more are not shown.</p>}
    </>
  )
}

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'dim'

export function Chip({ tone, children }: WithChildren<{ tone: Tone }>) {
  return <span class={`chip ${tone}`}>{children}</span>
}

interface TabsProps {
  names: readonly string[]
  current: string
  set: (name: string) => void
}

export function Tabs({ names, current, set }: TabsProps) {
  return (
    <div class="tabs row" role="tablist">
      {names.map((name) => (
        <button key={name} type="button" role="tab" aria-selected={name === current} onClick={() => set(name)}>
          {name}
        </button>
      ))}
    </div>
  )
}

export function StatusChip({ status, cancelled }: { status: number; cancelled?: true | undefined }) {
  if (cancelled) return <Chip tone="warn">cancelled</Chip>
  return <Chip tone={status >= 400 ? 'bad' : status < 300 ? 'good' : 'dim'}>{status}</Chip>
}

export function OutcomeChip({ outcome }: { outcome: string }) {
  return <Chip tone={outcome === 'success' ? 'good' : 'bad'}>{outcome}</Chip>
}

export function EmptyState({
  title,
  command,
  children,
}: {
  title: string
  command?: string
  children?: ComponentChildren
}) {
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
