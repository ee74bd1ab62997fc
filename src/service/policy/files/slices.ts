import { placesOf } from '../lines.ts'
import type { PolicyPath } from '../problem.ts'
import type { Event } from '../yaml.ts'
import { readNodes, type YamlNode } from '../yaml-nodes.ts'
import type { Slice } from './found.ts'

/** Returns functions that return the text of the policy at a path in a document, and the position of a key. */
export function placer(text: string, linesBefore: number, events: readonly Event[]) {
  let root: YamlNode | undefined
  const find = (path: PolicyPath) => {
    root ??= readNodes(text, events)
    let node = root
    for (const step of path) node = node?.below.get(step) ?? node
    return node
  }
  const keyAt = (path: PolicyPath) => {
    const { line, column } = placesOf(text)(find(path)?.key?.start ?? 0)
    return { line: line + linesBefore, column }
  }
  const sliceAt = (path: PolicyPath, value: unknown): Slice => {
    const { kind, start, end, hasAlias } = find(path) ?? { kind: 'scalar', start: 0, end: 0, hasAlias: false }
    const { line, column } = placesOf(text)(start)
    const first = linesBefore + line - 1
    if (kind === 'literal') {
      const [indent = ''] = /^[ ]*(?=\S)/m.exec(text.slice(text.indexOf('\n', start) + 1, end)) ?? []
      return { text: String(value), linesBefore: first + 1, indent: indent.length }
    }
    if ((kind === 'map' || kind === 'list') && !hasAlias)
      return { text: ' '.repeat(column - 1) + text.slice(start, end), linesBefore: first, indent: 0 }
    const whole = typeof value === 'string' ? value : JSON.stringify(value)
    return { text: whole, linesBefore: first, indent: column - 1, isScattered: true }
  }
  return { sliceAt, keyAt }
}
