import type { ASTNode } from '@marcbachmann/cel-js'
import { timeMs } from '../schema/time.ts'
import { misplaced } from './syntax.ts'
import { named, type Type } from './types.ts'

/** The value of a part of a filter, for an item at the time `now`. Times are numbers of ms; what is absent is null. */
export type Term = (obj: object, now: number) => unknown

/** A part of a filter, compiled: where it stands, what it can be, and its value. */
export interface Part {
  readonly node: ASTNode
  readonly type: Type
  readonly term: Term
  /** Whether the value is written out in the filter. */
  readonly isLiteral?: boolean
  /** The dotted path of a field, such as `obj.domain`. */
  readonly path?: string
}

/** Compiles a part of a filter that belongs to another. */
export type Compile = (node: ASTNode) => Part

/** A part whose value is written out in the filter. */
export function literal(node: ASTNode, type: Type, value: unknown): Part {
  return { node, type, term: () => value, isLiteral: true }
}

/** The value of a part that is a {@link literal}. */
export function writtenValue({ term }: Part): unknown {
  return term({}, 0)
}

/** How messages say what a time is written as. */
export const TIMES = 'a time: timestamp("2026-01-01T00:00:00Z"), timestamp(time.now) or a field that holds one'

/** A text that holds a time, as that time. */
export function asTime(part: Part): Part {
  const { node, type, term, isLiteral } = part
  const time: Type = { kind: 'time', nullable: type.nullable }
  if (isLiteral) return literal(node, time, timeMs(writtenValue(part)))
  // The type says that it holds a text.
  return { node, type: time, term: (obj, now) => timeOfField(term(obj, now) as string | null) }
}

/** The time of a field, whose text is always the wire's own. */
function timeOfField(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}

/** Whether a part is a text that holds a time. */
export function holdsTime({ type }: Part): boolean {
  return type.kind === 'text' && type.holdsTime
}

/** Refuses a part for its type. */
export function mistyped({ node, type }: Part, allowed: string): never {
  return misplaced(node, type.kind === 'null' ? undefined : named(type), allowed)
}
