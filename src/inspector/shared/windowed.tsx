import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** The number of rows to render above and below the visible ones, for scrolling. */
const EXTRA_ROWS = 8

export interface WindowedProps {
  total: number
  rowHeight: number
  label: string
  onRange?: (range: { first: number; count: number }) => void
  /** Called with true when rows must not move, because the user has scrolled down or is using the keyboard, and later with false. */
  onHold?: ((isHeld: boolean) => void) | undefined
  /** The header row. It makes the list a table, and stays visible. */
  heads?: ComponentChildren
  row: (index: number) => ComponentChildren
}

/** Moves to a row by its link, and scrolls it into view. */
export function goToRow(link: string, index: number, rowHeight: number): void {
  location.hash = link
  const list = document.querySelector('.windowed')
  if (!list) return
  const top = index * rowHeight
  const { scrollTop, clientHeight } = list
  if (top < scrollTop) list.scrollTo(0, top)
  else if (top + rowHeight > scrollTop + clientHeight) list.scrollTo(0, top + rowHeight - clientHeight)
}

/** A long list of rows with the same height. Only the visible rows are in the document. */
export function Windowed({ total, rowHeight, label, onRange, onHold, heads, row }: WindowedProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [{ first, count }, setRange] = useState({ first: 0, count: 30 })
  const updateRange = () => {
    const { scrollTop, clientHeight } = scroller.current ?? { scrollTop: 0, clientHeight: 600 }
    const top = Math.floor(scrollTop / rowHeight)
    const start = Math.max(0, top - EXTRA_ROWS)
    const range = { first: start, count: top - start + Math.ceil(clientHeight / rowHeight) + EXTRA_ROWS }
    onHold?.(scrollTop > 0 || scroller.current?.querySelector(':focus-visible') != null)
    if (range.first === first && range.count === count) return
    setRange(range)
    onRange?.(range)
  }
  const current = useRef(updateRange)
  current.current = updateRange
  useLayoutEffect(() => {
    // Measures only when the size changes, because measuring makes the browser lay out the page.
    const observer = new ResizeObserver(() => current.current())
    if (scroller.current) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (total <= first) updateRange()
  }, [total])
  const visible = Math.max(0, Math.min(count, total - first))
  const later = () => setTimeout(() => current.current())
  return (
    <div
      class="windowed fill"
      ref={scroller}
      onScroll={updateRange}
      onFocusCapture={later}
      onBlurCapture={later}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <div role={heads ? 'table' : undefined}>
        {heads}
        <div class="whole" style={{ height: `${total * rowHeight}px` }}>
          <div role={heads ? 'rowgroup' : 'list'} style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {Array.from({ length: visible }, (_, index) => row(first + index))}
          </div>
        </div>
      </div>
    </div>
  )
}
