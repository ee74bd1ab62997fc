import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows beside the visible ones, so that the next ones are there when somebody scrolls. */
const BESIDE = 8

/** Which rows are to be shown. */
export interface Window {
  readonly first: number
  readonly count: number
}

/** A long list of rows of one height, of which only those are made that can be seen. */
export function Windowed({
  total,
  rowHeight,
  label,
  onWindow,
  row,
}: {
  total: number
  rowHeight: number
  label: string
  /** Told which rows are wanted, where they have to be asked for. */
  onWindow?: (window: Window) => void
  row: (index: number) => ComponentChildren
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [{ first, count }, show] = useState<Window>({ first: 0, count: 30 })
  const look = () => {
    const { scrollTop, clientHeight } = scroller.current ?? { scrollTop: 0, clientHeight: 600 }
    const from = Math.max(0, Math.floor(scrollTop / rowHeight) - BESIDE)
    const many = Math.ceil(clientHeight / rowHeight) + 2 * BESIDE
    if (from === first && many === count) return
    show({ first: from, count: many })
    onWindow?.({ first: from, count: many })
  }
  useLayoutEffect(() => {
    look()
    addEventListener('resize', look)
    return () => removeEventListener('resize', look)
  })
  const shown = Math.max(0, Math.min(count, total - first))
  return (
    <div class="windowed" ref={scroller} onScroll={look} tabIndex={0} role="region" aria-label={label}>
      <div class="whole" style={{ height: `${total * rowHeight}px` }}>
        <div class="rows" role="list" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {Array.from({ length: shown }, (_, index) => row(first + index))}
        </div>
      </div>
    </div>
  )
}
