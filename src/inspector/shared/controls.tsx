import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { used } from './used-control.ts'

interface ButtonProps {
  onClick: () => unknown
  /** Called when the focus goes elsewhere. */
  onLeave?: () => void
  children: ComponentChildren
  kind?: string
  /** True if the first press only asks, until the focus goes elsewhere. */
  twice?: boolean
  /** The question, which for example names what is lost. */
  asking?: string
  label?: string
  /** The state of a button that switches something on and off. */
  pressed?: boolean
  disabled?: boolean
}

/** A button. It keeps the focus while it is disabled. */
export function Button({
  onClick,
  onLeave,
  children,
  kind,
  twice = false,
  asking = 'Really?',
  label,
  pressed,
  disabled,
}: ButtonProps) {
  const [isAsking, setAsking] = useState(false)
  const { isBusy, error, use } = useControl()
  const element = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const { current } = element
    const heading = current?.closest('section, aside')?.querySelector('h2')
    // A button that goes, for example because it has fixed something, leaves its focus near.
    return () => {
      if (current === document.activeElement) heading?.focus({ preventScroll: true })
    }
  }, [])
  const press = (event: Event & { currentTarget: HTMLElement }) => {
    if (disabled || isBusy) return
    // Safari does not focus a clicked button.
    event.currentTarget.focus()
    setAsking(twice && !isAsking)
    if (!twice || isAsking) use(onClick)
  }
  const leave = () => {
    setAsking(false)
    onLeave?.()
  }
  const button = (
    <button
      ref={element}
      type="button"
      class={isAsking ? 'asking' : kind}
      onClick={press}
      onBlur={leave}
      aria-label={isAsking ? undefined : label}
      aria-disabled={disabled}
      aria-busy={isBusy}
      aria-pressed={pressed}
    >
      {isAsking ? asking : children}
    </button>
  )
  return error ? [button, error] : button
}

/** The state of a button or a form: whether its work is under way, and its error. */
function useControl() {
  const self = useRef({}).current
  const [isBusy, setBusy] = useState(false)
  const use = (work: () => unknown) => {
    used.control = self
    const result = work()
    used.control = undefined
    if (!(result instanceof Promise)) return
    setBusy(true)
    void result.finally(() => setBusy(false))
  }
  return { isBusy, use, error: used.error?.at === self && <Problem text={used.error.text} /> }
}

/** A button that copies a text, and says so until it loses the focus. */
export function Copy({ text, children = 'Copy' }: { text: () => string; children?: ComponentChildren }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text())
    setDone(true)
  }
  return (
    <Button kind="quiet" onClick={copy} onLeave={() => setDone(false)}>
      {isDone ? 'Copied' : children}
    </Button>
  )
}

interface FormProps {
  /** Receives the values of the inputs that have names. */
  act: (values: Readonly<Record<string, string>>) => unknown
  kind?: string
  children: ComponentChildren
}

export function Form({ act, kind = 'row', children }: FormProps) {
  const { isBusy, error, use } = useControl()
  const submit = (event: Event & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string> // No input is a file.
    if (!isBusy) use(() => act(values))
  }
  return (
    <form class={kind} onSubmit={submit} aria-busy={isBusy}>
      {children}
      {error}
    </form>
  )
}

export function Submit({ children, kind = 'main' }: { children: ComponentChildren; kind?: string }) {
  return (
    <button type="submit" class={kind}>
      {children}
    </button>
  )
}

/** An input with a name keeps its own value, which the form reads. Any other input shows `value` and calls `set`. */
interface InputProps {
  label: string
  name?: string
  value?: string
  set?: (value: string) => void
}

/** A menu of values. `none` is the text of a first entry, whose value is empty. */
export function Choice({
  label,
  set,
  values,
  none,
  ...more
}: InputProps & { values: readonly string[]; none?: string }) {
  return (
    <select aria-label={label} onChange={(event) => set?.(event.currentTarget.value)} {...more}>
      {none !== undefined && <option value="">{none}</option>}
      {values.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  )
}

export function Text({ label, set, ...more }: InputProps & InputHTMLAttributes) {
  return <input aria-label={label} spellcheck={false} onInput={(event) => set?.(event.currentTarget.value)} {...more} />
}

export function Search({ what, ...more }: Omit<InputProps, 'label'> & { what: string }) {
  return <Text type="search" size={26} label={`Search ${what}`} placeholder={`Search ${what}`} {...more} />
}

export function Lines({
  label,
  set,
  ...more
}: InputProps & { rows: number; placeholder?: string; defaultValue?: string }) {
  return (
    <textarea aria-label={label} spellcheck={false} onInput={(event) => set?.(event.currentTarget.value)} {...more} />
  )
}

interface FieldProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  children: ComponentChildren
}

/** An input below its label, with its error. The input has the same label for screen readers. */
export function Field({ label, hint, error, children }: FieldProps) {
  return (
    <div class="field" title={hint}>
      <span class="dim">{label}</span>
      {children}
      <Problem text={error} />
    </div>
  )
}

export function TextField(props: InputProps & InputHTMLAttributes) {
  return (
    <Field label={props.label}>
      <Text {...props} />
    </Field>
  )
}

export function Problem({ text }: { text: string | undefined }) {
  return text ? (
    <p class="bad" role="alert">
      {text}
    </p>
  ) : null
}
