import type { ASTNode } from '@marcbachmann/cel-js'

/** An error in a filter. The message shows the position, the text there, and the allowed alternatives. */
export class FilterError extends Error {}

/** Throws an error for part of a filter. `description` describes the part, and `allowed` describes what can replace it. */
export function refuseNode(
  { input, range: { start, end } }: ASTNode,
  description: string | undefined,
  allowed: string,
): never {
  const found = cutExcerpt(input, start, end) + (description ? `, ${description}` : '')
  throw new FilterError(`${describePosition(input, start)}: ${found}; expected ${allowed}`)
}

export const VALUE_ALLOWED =
  'a value: a field such as obj.id, a quoted string, a number, true, false, null, a list, or a supported call'

export function describePosition(source: string, start: number): string {
  return `at character ${[...source.slice(0, start)].length + 1}`
}

const MAX_EXCERPT_LENGTH = 40

export function cutExcerpt(source: string, start: number, end: number): string {
  const characters = [...source.slice(start, end).replace(/\s+/g, ' ')]
  const excerpt = characters.slice(0, MAX_EXCERPT_LENGTH).join('') || 'the end'
  return characters.length > MAX_EXCERPT_LENGTH ? `${excerpt}…` : excerpt
}
