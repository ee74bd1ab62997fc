import type { Method } from '../operation/operation.ts'

/**
 * One request of a scenario. Texts in it may name values in braces: `{mark}`, `{domain}`, the header `{version}`, and what
 * earlier steps of the same scenario saved, such as `{a}`.
 */
export interface Step {
  /** The operation, such as `ip_policies.create`. */
  readonly operation: string
  /** A note about the request, in a few words. */
  readonly what: string
  readonly method: Method
  /** The path and query below the base URL. */
  readonly path: string
  /** The JSON body. Keys may name values too. */
  readonly body?: unknown
  /** A body that is sent verbatim, in place of JSON. */
  readonly raw?: string
  /** Further headers; null leaves a usual one out. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** The fields of the answer that later steps use, by the names that they have there. */
  readonly saves?: Readonly<Record<string, string>>
  /** True if it is about the key itself, so that a 401 or 403 is an answer like any other. */
  readonly isAboutKey?: true
}

/** The requests about one family, in order. They need nothing from other scenarios and leave nothing. */
export interface Scenario {
  /** The group of the operations, such as `ip_policies`. */
  readonly family: string
  /** The path of its list; empty if it has none. */
  readonly path: string
  readonly steps: readonly Step[]
}

/** Values by the names that steps call them by. */
export type Values = ReadonlyMap<string, string>

/** A step whose names have been replaced by values. */
export interface FilledStep {
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string | null>>
  /** The text of the body. */
  readonly body?: string
}

const NAME = /\{([a-z][a-z_]*)\}/g

/** Returns the names in a step that have no value. */
export function missingIn(step: Step, values: Values): readonly string[] {
  const text = [step.path, step.raw ?? '', JSON.stringify(step.body ?? '')].join('\n')
  return [...new Set([...text.matchAll(NAME)].map(([, name = '']) => name).filter((name) => !values.has(name)))]
}

/** Replaces the names in a step by values. All of them must have one. */
export function filled(step: Step, values: Values): FilledStep {
  const { method, path, raw, body } = step
  const fill = (text: string) => text.replaceAll(NAME, (whole, name) => values.get(name) ?? whole)
  const headers = Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, value]) => [fill(name), value]))
  const sent =
    raw === undefined ? (body === undefined ? undefined : JSON.stringify(filledValue(body, fill))) : fill(raw)
  return { method, path: fill(path), headers, ...(sent !== undefined && { body: sent }) }
}

function filledValue(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((each) => filledValue(each, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [fill(key), filledValue(each, fill)]))
}
