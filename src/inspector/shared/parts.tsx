import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A button; one that cannot be undone is asked twice. */
export function Button({
  onClick,
  children,
  kind,
  twice,
  label,
  disabled,
}: {
  onClick: () => void
  children: ComponentChildren
  kind?: 'main' | 'danger' | 'quiet'
  twice?: boolean
  label?: string
  disabled?: boolean
}) {
  const [isAsked, ask] = useBriefly(4000)
  const act = () => {
    if (disabled) return
    if (twice && !isAsked) return ask(true)
    ask(false)
    onClick()
  }
  return (
    <button
      type="button"
      class={isAsked ? 'asked' : kind}
      onClick={act}
      aria-label={isAsked ? undefined : label}
      aria-disabled={disabled}
    >
      {isAsked ? 'Really?' : children}
    </button>
  )
}

/** Copies a text, and says so. */
export function Copy({ text, children = 'Copy' }: { text: () => string; children?: ComponentChildren }) {
  const [isDone, done] = useBriefly(1500)
  const copy = async () => {
    await navigator.clipboard.writeText(text())
    done(true)
  }
  return (
    <Button kind="quiet" onClick={() => void copy()}>
      {isDone ? 'Copied' : children}
    </Button>
  )
}

/** A switch that goes off by itself after so many ms. */
function useBriefly(ms: number): [boolean, (isOn: boolean) => void] {
  const [isOn, turn] = useState(false)
  useEffect(() => {
    if (!isOn) return undefined
    const timer = setTimeout(() => turn(false), ms)
    return () => clearTimeout(timer)
  }, [isOn])
  return [isOn, turn]
}

/** What a colour means: good, bad, on its way, or nothing. */
export type Tone = 'good' | 'bad' | 'busy' | 'plain'

/** A word on where something stands. */
export function Chip({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`chip ${tone}`}>{children}</span>
}

/** The colour of an HTTP status. */
export function toneOf(status: number): Tone {
  if (status >= 400) return 'bad'
  return status < 300 ? 'good' : 'plain'
}

/** The colour of what an attempt came to. */
export function toneOfOutcome(outcome: string): Tone {
  return outcome === 'success' ? 'good' : 'bad'
}

/** What stands where there is nothing: what to do about it, with a line for the shell. */
export function Empty({
  title,
  children,
  line,
}: {
  title: string
  children?: ComponentChildren
  line?: string | undefined
}) {
  return (
    <div class="empty">
      <b>{title}</b> {children}
      {line && (
        <div class="shell">
          <code>{line}</code>
          <Copy text={() => line} />
        </div>
      )}
    </div>
  )
}

/** JSON or a text for people: a text, never HTML. */
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

/** A field with its label, and what is wrong with it. What it holds is called so itself, by the same label. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string
  hint?: string | undefined
  error?: string | undefined
  children: ComponentChildren
}) {
  return (
    <div class={`field ${error ? 'wrong' : ''}`} title={hint}>
      <span class="dim">{label}</span>
      {children}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
