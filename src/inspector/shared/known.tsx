import type { ComponentChildren } from 'preact'
import { inState, type Live } from '../live-value.ts'
import { NO_SERVER, page } from '../page.ts'
import { Button } from './controls.tsx'
import { formatClockTime } from './format.ts'
import { Card } from './layout.tsx'

/** A placeholder for a value that has not been loaded yet. */
export function Loading() {
  return <p class="empty dim">Loading…</p>
}

interface KnownProps<T> {
  of: Live<T>
  children: (value: T) => ComponentChildren
}

/** Shows a value once it is known. If it could not be reloaded, it stays visible but dimmed, with its time and the error. */
export function Known<T>({ of, children }: KnownProps<T>) {
  if (of.state === 'loading') return <Loading />
  const problem = of.problem && (page.isConnected ? of.problem : NO_SERVER)
  const again = (
    <Button kind="quiet" onClick={() => page.reload()}>
      Try again
    </Button>
  )
  if (of.state === 'failed')
    return (
      <p class="empty bad" role="alert">
        Loading failed. {problem} {again}
      </p>
    )
  return (
    <div class={`known ${problem ? 'stale' : ''}`}>
      {problem && (
        <p class="empty" role="alert">
          As of {formatClockTime(of.at)}. {problem} {again}
        </p>
      )}
      {children(of.value)}
    </div>
  )
}

/** A card with a list and, once it is known, its length. */
export function ListCard<T>({ title, of, children }: KnownProps<readonly T[]> & { title: string }) {
  return (
    <Card title={title} note={inState<readonly T[], string | number>(of, '', '', ({ length }) => length)} wide>
      <Known of={of}>{children}</Known>
    </Card>
  )
}
