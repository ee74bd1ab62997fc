import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, Copy, Form, Text } from './controls.tsx'
import { formatCount } from './format.ts'

/** The product logo, a gate. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M3 14V6a5 5 0 0 1 10 0v8M8 14V7" />
    </svg>
  )
}

type WithChildren<Props> = Props & { children?: ComponentChildren }

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
  tools?: ComponentChildren
  /** The details of the selected entry. They cover part of the list without moving its rows. */
  side: ComponentChildren
  /** Goes to the entry before or after the selected entry. Called for the keys j and k and for the arrow keys. */
  step?: (by: number) => void
}

export function Split({ tools, side, step, children }: WithChildren<SplitProps>) {
  useSteps(step)
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

/** Calls `step` for the keys j and k and for the arrow keys. */
export function useSteps(step?: (by: number) => void): void {
  useKeys((key) => {
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key]
    if (by) step?.(by)
    return by !== undefined && step !== undefined
  })
}

/** Calls `pressed` with each key pressed outside of inputs. If it returns true, the browser ignores the key. */
export function useKeys(pressed: (key: string) => boolean): void {
  const current = useRef(pressed)
  current.current = pressed
  // Runs before the first paint because a key may be pressed immediately.
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
  /** The link that closes the details. */
  back: string
}

/** The details of the selected entry. They receive the focus. Closing them, with Escape or otherwise, returns the focus to the entry. */
export function Side({ title, mark, back, children }: WithChildren<SideProps>) {
  const heading = useRef<HTMLHeadingElement>(null)
  useKeys((key) => {
    if (key === 'Escape') location.hash = back
    return key === 'Escape'
  })
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
        <a class="button quiet close" href={back} aria-label="Close">
          ×
        </a>
      </header>
      {children}
    </aside>
  )
}

type Fact = readonly [name: ComponentChildren, value: ComponentChildren]

/** Facts by name. Undefined facts are omitted. */
export function DefinitionList({ of }: { of: readonly Fact[] }) {
  return <dl>{of.flatMap(([name, value]) => (value === undefined ? [] : [<dt>{name}</dt>, <dd>{value}</dd>]))}</dl>
}

/** A link to a location on the page, by ID. */
export function IdLink({ to, id }: { to: string; id: string }) {
  return (
    <code>
      <a href={`#${to}`}>{id}</a>
    </code>
  )
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
  /** The names of the tabs and their panels. */
  of: Readonly<Record<string, ComponentChildren>>
  first: string
}

/** Tabs, with the selected tab's panel. The arrow keys, Home, and End select another tab, because only the selected tab is a tab stop. */
export function Tabs({ of, first }: TabsProps) {
  const [current, choose] = useState(first)
  const names = Object.keys(of)
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const at = names.indexOf(current)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = (to + names.length) % names.length
    choose(names[next] ?? first)
    event.currentTarget.querySelectorAll<HTMLElement>('button')[next]?.focus()
  }
  return (
    <>
      <div class="tabs row" role="tablist" onKeyDown={move}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-controls="panel"
            aria-selected={name === current}
            tabIndex={name === current ? 0 : -1}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${current}`}>
        {of[current]}
      </div>
    </>
  )
}

export function StatusChip({ status, cancelled }: { status: number; cancelled?: true | undefined }) {
  if (cancelled) return <Chip tone="warn">cancelled</Chip>
  return <Chip tone={status >= 400 ? 'bad' : status < 300 ? 'good' : 'dim'}>{status}</Chip>
}

export function OutcomeChip({ outcome }: { outcome: string }) {
  return <Chip tone={outcome === 'success' ? 'good' : 'bad'}>{outcome}</Chip>
}

/** A line above the page that the user can dismiss. */
export function Banner({
  role,
  kind = '',
  dismiss,
  children,
}: WithChildren<{ role: 'alert' | 'status'; kind?: string; dismiss: () => void }>) {
  return (
    <p class={`tools row ${kind}`} role={role}>
      <span>{children}</span>
      <Button kind="quiet" label="Dismiss" onClick={dismiss}>
        ×
      </Button>
    </p>
  )
}

/** Asks for a key. The children explain where to find it. */
export function KeyCard({ name, open, children }: WithChildren<{ name: string; open: (key: string) => unknown }>) {
  return (
    <div class="cards">
      <Card title={name} wide>
        <Form act={({ key = '' }) => open(key)} verb="Open">
          <Text type="password" label={name} name="key" required />
        </Form>
        <p class="dim">{children}</p>
      </Card>
    </div>
  )
}

/** A shell command to copy. */
export function Command({ text }: { text: string }) {
  return (
    <div class="shell flex">
      <code>{text}</code>
      <Copy text={() => text} />
    </div>
  )
}

export function EmptyState({ title, command, children }: WithChildren<{ title: string; command?: string }>) {
  return (
    <div class="empty">
      <b>{title}</b> {children}
      {command && <Command text={command} />}
    </div>
  )
}

/** A section that stays folded, and is not created, until it is needed. */
export function Fold({ title, isOpen = false, children }: WithChildren<{ title: string; isOpen?: boolean }>) {
  const [isShown, setShown] = useState(isOpen)
  return (
    <details open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{title}</summary>
      {isShown && children}
    </details>
  )
}
