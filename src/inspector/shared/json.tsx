import type { ComponentChildren } from 'preact'
import { Copy } from './controls.tsx'

/** Matches the colored parts of JSON and YAML: comments, keys, and quoted strings. */
const PARTS = /(#.*$)|("[\w.-]+"(?=:\s)|[\w.-]+(?=\s*:(?:\s|$)))|("(?:[^"\\]|\\.)*"|'[^']*')/gm

interface JsonProps {
  value: unknown
  title?: ComponentChildren
  /** True for a string to be colored as YAML. */
  isYaml?: boolean
}

/** A value as JSON with colors, or a string unchanged. */
export function Json({ value, title, isYaml = false }: JsonProps) {
  const isText = typeof value === 'string'
  const text = isText ? value : JSON.stringify(value, null, 2)
  return (
    <>
      {title && (
        <h3>
          {title} <Copy text={() => text} />
        </h3>
      )}
      {/* Multiline text in JSON, such as PEM, keeps its lines. */}
      <pre tabIndex={0}>{isText && !isYaml ? text : colour(isText ? text : text.replaceAll('\\n', '\n'))}</pre>
    </>
  )
}

function colour(text: string): ComponentChildren[] {
  let end = 0
  const parts = [...text.matchAll(PARTS)].flatMap(({ 0: part, 1: comment, 2: key, index }) => {
    const before = text.slice(end, index)
    end = index + part.length
    return [before, <span class={comment ? 'dim' : key ? 'busy' : 'good'}>{part}</span>]
  })
  return [...parts, text.slice(end)]
}
