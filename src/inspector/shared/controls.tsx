import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Runs the work of a control. Tracks whether it is in progress, and the last error until it is run again. */
export function useWork() {
  const [{ isBusy, error }, setState] = useState<{ isBusy: boolean; error?: Error }>({ isBusy: false })
  const run = async (work: () => unknown) => {
    try {
      const result = work()
      if (result instanceof Promise) setState({ isBusy: true })
      await result
      setState({ isBusy: false })
    } catch (thrown) {
      setState({ isBusy: false, error: thrown instanceof Error ? thrown : new Error(String(thrown)) })
    }
  }
  return { isBusy, error, run }
}

interface ButtonProps {
  onClick: () => unknown
  /** Called when the focus moves elsewhere. */
  onLeave?: () => void
  children: ComponentChildren
  kind?: string
  /** The question of a button whose first press only asks for confirmation. Shown until the focus moves elsewhere. */
  asking?: string | false
  label?: string | undefined
  /** The state of a toggle button. */
  pressed?: boolean
  disabled?: boolean
}

/** A button, with its error next to it. While it works, it is disabled. It keeps the focus while it is disabled. */
export function Button({ onClick, onLeave, children, kind, asking, label, pressed, disabled }: ButtonProps) {
  const [isAsking, setAsking] = useState(false)
  const { isBusy, error, run } = useWork()
  const isDisabled = disabled || isBusy
  const element = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const { current } = element
    const heading = current?.closest('section, aside')?.querySelector('h2')
    // If a button disappears, for example because it has fixed something, the focus moves nearby.
    return () => {
      if (current === document.activeElement) heading?.focus({ preventScroll: true })
    }
  }, [])
  const press = (event: Event & { currentTarget: HTMLElement }) => {
    if (isDisabled) return
    // Safari does not focus a clicked button.
    event.currentTarget.focus()
    setAsking(Boolean(asking) && !isAsking)
    if (!asking || isAsking) void run(onClick)
  }
  const leave = () => {
    setAsking(false)
    onLeave?.()
  }
  return (
    <>
      <button
        ref={element}
        type="button"
        class={isAsking ? 'asking' : kind}
        onClick={press}
        onBlur={leave}
        aria-label={isAsking ? undefined : label}
        aria-disabled={isDisabled}
        aria-busy={isBusy}
        aria-pressed={pressed}
      >
        {isAsking ? asking : children}
      </button>
      <Problem text={error?.message} />
    </>
  )
}

/** A button that copies a string, and confirms it until the button loses the focus. */
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
  /** Receives the values of the named inputs. */
  act: (values: Readonly<Record<string, string>>) => unknown
  kind?: string
  /** The label of the button that submits the form. */
  verb: string
  verbKind?: string
  disabled?: boolean
  /** A function that receives the error of the last `act` and shows it. */
  children: ComponentChildren | ((error: Error | undefined) => ComponentChildren)
  /** The content after the button. */
  after?: ComponentChildren
}

/** A form with its button. While it works, the button is disabled, because a second press would have no effect. */
export function Form({ act, kind = 'row', verb, verbKind = 'main', disabled, children, after }: FormProps) {
  const { isBusy, error, run } = useWork()
  const isDisabled = disabled || isBusy
  const submit = (event: Event & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string> // No input is a file.
    if (!isDisabled) void run(() => act(values))
  }
  return (
    <form class={kind} onSubmit={submit} aria-busy={isBusy}>
      {typeof children === 'function' ? children(error) : children}
      <div class="row">
        <button type="submit" class={verbKind} aria-disabled={isDisabled}>
          {verb}
        </button>
        {after}
      </div>
      {typeof children !== 'function' && <Problem text={error?.message} />}
    </form>
  )
}

/** A named input keeps its own value for the form to read. Any other input shows `value` and calls `set`. */
interface InputProps {
  label: string
  name?: string
  value?: string
  set?: (value: string) => void
}

interface ChoiceProps extends InputProps {
  values: readonly string[]
  /** The text of a first entry with an empty value. */
  none?: string
  /** Returns the text for a value. Default: the value. */
  show?: (value: string) => string
}

export function Choice({ label, set, values, none, show = String, ...more }: ChoiceProps) {
  return (
    <select aria-label={label} onChange={(event) => set?.(event.currentTarget.value)} {...more}>
      {none !== undefined && <option value="">{none}</option>}
      {values.map((each) => (
        <option key={each} value={each}>
          {show(each)}
        </option>
      ))}
    </select>
  )
}

/** A single-line input or, with `rows`, a multiline input. */
export function Text({ label, set, rows, ...more }: InputProps & InputHTMLAttributes & { rows?: number }) {
  const Tag = (rows ? 'textarea' : 'input') as 'input' // Both elements have all of these properties.
  const size = rows && { rows }
  return (
    <Tag
      aria-label={label}
      spellcheck={false}
      onInput={(event) => set?.(event.currentTarget.value)}
      {...size}
      {...more}
    />
  )
}

export function Search({ what, ...more }: Omit<InputProps, 'label'> & { what: string }) {
  return <Text type="search" size={26} label={`Search ${what}`} placeholder={`Search ${what}`} {...more} />
}

interface FieldProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  children: ComponentChildren
}

/** An input below its label, with its error. The label also applies to screen readers. */
export function Field({ label, hint, error, children }: FieldProps) {
  return (
    <div class="field" title={hint}>
      <span class="dim">{label}</span>
      {children}
      <Problem text={error} />
    </div>
  )
}

export function TextField(props: Parameters<typeof Text>[0]) {
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
