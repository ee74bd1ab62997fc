import type { ComponentChildren, InputHTMLAttributes } from 'preact'

/** A form that does something in this page when it is sent. */
export function Form({ act, kind = 'row', children }: { act: () => void; kind?: string; children: ComponentChildren }) {
  const send = (event: Event) => {
    event.preventDefault()
    act()
  }
  return (
    <form class={kind} onSubmit={send}>
      {children}
    </form>
  )
}

/** The button that sends a form. */
export function Send({ children }: { children: ComponentChildren }) {
  return (
    <button type="submit" class="main">
      {children}
    </button>
  )
}

/** One of several values; none of them where there is a text for that. */
export function Choice({
  label,
  value,
  set,
  values,
  none,
}: {
  label?: string
  value: string
  set: (value: string) => void
  values: readonly string[]
  none?: string
}) {
  return (
    <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
      {none !== undefined && <option value="">{none}</option>}
      {values.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  )
}

/** A line of text. */
export function Text({
  label,
  set,
  ...more
}: { label?: string; value: string; set: (value: string) => void } & InputHTMLAttributes) {
  return <input aria-label={label} spellcheck={false} onInput={(event) => set(event.currentTarget.value)} {...more} />
}

/** A line to search by. */
export function Search({ what, value, set }: { what: string; value: string; set: (value: string) => void }) {
  return <Text type="search" label={`Search ${what}`} placeholder={`Search ${what}`} value={value} set={set} />
}

/** Several lines of text. */
export function Lines({
  label,
  rows,
  value,
  set,
  placeholder,
}: {
  label: string
  rows: number
  value: string
  set: (value: string) => void
  placeholder?: string
}) {
  return (
    <textarea
      aria-label={label}
      rows={rows}
      spellcheck={false}
      placeholder={placeholder}
      value={value}
      onInput={(event) => set(event.currentTarget.value)}
    />
  )
}
