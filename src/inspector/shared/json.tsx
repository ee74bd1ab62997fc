import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Copy } from './controls.tsx'

/** A value as JSON with colours and folding, or a text unchanged. */
export function Json({ value, title }: { value: unknown; title?: ComponentChildren }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <>
      {title && (
        <h3>
          {title} <Copy text={() => text} />
        </h3>
      )}
      <pre tabIndex={0}>{typeof value === 'string' ? value : <Node value={value} end="" />}</pre>
    </>
  )
}

/** Longer lists and objects are folded at first. */
const MAX_OPEN_ENTRIES = 30

function Node({ name, value, end }: { name?: string; value: unknown; end: string }) {
  const entries = typeof value === 'object' && value ? Object.entries(value) : []
  const [isOpen, setOpen] = useState(entries.length <= MAX_OPEN_ENTRIES)
  const key = name !== undefined && <span class="dim">{JSON.stringify(name)}: </span>
  if (entries.length === 0) {
    // A text of several lines, such as PEM, keeps its lines.
    const isText = typeof value === 'string'
    const text = isText && value.includes('\n') ? `"${value}"` : JSON.stringify(value)
    return (
      <div>
        {key}
        <span class={isText ? 'good' : 'busy'}>{text}</span>
        {end}
      </div>
    )
  }
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return (
    <div>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {key}
        {open}
        {!isOpen && `… ${entries.length} …${close}${end}`}
      </button>
      {isOpen && (
        <div class="nested">
          {entries.map(([each, inner], at) => (
            <Node
              key={each}
              {...(isList ? {} : { name: each })}
              value={inner}
              end={at < entries.length - 1 ? ',' : ''}
            />
          ))}
        </div>
      )}
      {isOpen && close + end}
    </div>
  )
}
