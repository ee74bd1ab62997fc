import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** A piece of a part, with its title. */
export function Card({
  title,
  count,
  wide = false,
  children,
}: {
  title: ComponentChildren
  count?: number
  wide?: boolean
  children: ComponentChildren
}) {
  return (
    <section class={`card ${wide ? 'wide' : ''}`}>
      <h2>
        {title} {count !== undefined && <small class="dim">{inWords(count)}</small>}
      </h2>
      {children}
    </section>
  )
}

/** What is known of the one that was chosen, beside the list. Escape closes it. */
export function Side({
  title,
  mark,
  back,
  children,
}: {
  title: string
  mark?: ComponentChildren
  /** Where closing leads to. */
  back: string
  children: ComponentChildren
}) {
  useEffect(() => {
    const close = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') location.hash = back
    }
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [])
  return (
    <aside aria-label={title}>
      <header>
        <h2>{title}</h2>
        {mark}
        <a class="close" href={`#${back}`} aria-label="Close">
          ×
        </a>
      </header>
      {children}
    </aside>
  )
}

/** A list, and beside it the one that was chosen. */
export function Split({ side, children }: { side: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class={`split ${side ? 'open' : ''}`}>
      <div class="list">{children}</div>
      {side}
    </div>
  )
}

/** Names with their values. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return <dl>{of.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}</dl>
}

/** A number as people read it. */
export function inWords(count: number): string {
  return count.toLocaleString('en')
}
