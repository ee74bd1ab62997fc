/** The inputs of an expression: its variables, and functions of the gateway. */
export interface Values {
  /** The variables, such as `req`. Whole numbers of the type int are bigint; a text with fields has itself as `_text`. */
  readonly roots: Roots
  /** Returns a secret in a vault. */
  secret(vault: string, name: string): string
  /** Returns a random whole number from 0 to `below` - 1. */
  randomInteger(below: number): number
}

/** An operator of which a part can decide the value. */
export type PartOf = '||' | '&&' | '?:' | 'in'

/** Receives the key of a part of an expression that decided a value. */
export type OnDecided = (part: string) => void

/** Variables by the first names of their paths. */
export interface Roots {
  get(name: string): unknown
}

/** An expression needs a fact that the caller did not give. */
export class MissingFact extends Error {
  constructor(
    /** The path of the variable, such as `conn.geo.city`. */
    readonly path: string,
  ) {
    super(`${path} is not known`)
  }
}

/** An expression that cannot be evaluated, such as one that names a header that is not there. */
export class EvaluationProblem extends Error {
  /** The expression; undefined if its value is the problem. */
  source?: string
}

/** A pattern that an expression gave, and that is none. */
export class PatternProblem extends EvaluationProblem {}

/** A replacement whose result would be too long. */
export class ReplacementProblem extends EvaluationProblem {}

/** Returns the value below others, by its path, such as `req.url.path`. @throws MissingFact */
export function readPath(roots: Roots, path: string): unknown {
  const [first = '', ...names] = path.split('.')
  return names.reduce(readField, roots.get(first))
}

/** Returns a field of a map, or of a plain object; undefined if it has none. */
export function readField(owner: unknown, name: string): unknown {
  if (owner instanceof Map) return owner.get(name)
  return typeof owner === 'object' && owner !== null && Object.hasOwn(owner, name)
    ? Reflect.get(owner, name)
    : undefined
}

/** Returns the entries of a map, or of a plain object. */
export function entriesOf(owner: unknown): readonly (readonly [unknown, unknown])[] {
  return owner instanceof Map ? [...owner] : Object.entries(Object(owner))
}
