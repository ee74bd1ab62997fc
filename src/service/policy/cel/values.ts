/** The inputs of an expression: its variables and the gateway's functions. */
export interface Values {
  /** The variables, such as `req`. Values of type `int` are bigints. A string that also has fields is an object that holds the string in `_text`. */
  readonly roots: Roots
  /** Returns a secret from a vault. */
  secret(vault: string, name: string): string
  /** Returns a random whole number from 0 to `below` - 1. */
  randomInteger(below: number): number
}

/** An operator whose value can be determined by one of its parts. */
export type PartOf = '||' | '&&' | '?:' | 'in'

/** Receives the key for the part of an expression that determined a value. */
export type OnDecided = (part: string) => void

/** Variables, by the first name in their paths. */
export interface Roots {
  get(name: string): unknown
}

/** Thrown if an expression needs a fact that the caller did not provide. */
export class MissingFact extends Error {
  constructor(
    /** The path of the variable, such as `conn.geo.city`. */
    readonly path: string,
  ) {
    super(`${path} is not known`)
  }
}

/** Thrown if an expression cannot be evaluated, for example because a header is missing. */
export class EvaluationProblem extends Error {
  /** The expression, or undefined if its value is the problem. */
  source?: string
}

/** Thrown for an invalid pattern in an expression. */
export class PatternProblem extends EvaluationProblem {}

/** Thrown if the result of a replacement would be too long. */
export class ReplacementProblem extends EvaluationProblem {}

/** Returns a nested value by its path, such as `req.url.path`. @throws MissingFact */
export function readPath(roots: Roots, path: string): unknown {
  const [first = '', ...names] = path.split('.')
  return names.reduce(readField, roots.get(first))
}

/** Returns a field of a map or a plain object, or undefined if it doesn't have the field. */
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
