import type { Method } from '../core/operation/operation.ts'
import type { ApiRequest } from './exchange.ts'

/**
 * One request of a scenario. Its strings may refer to values in braces: `{mark}`, `{domain}`, the `{version}` header, and values saved by
 * earlier steps of the same scenario, such as `{a}`.
 */
export interface Step {
  /** The operation, such as `ip_policies.create`. */
  readonly operation: string
  /** A short note about the request. */
  readonly what: string
  readonly method: Method
  /** The path and query under the base URL. */
  readonly path: string
  /** The text of the body, usually JSON. */
  readonly body?: string
  /** Additional headers. Null omits a standard header. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** The response fields that later steps use, by the names used there. */
  readonly saves?: Readonly<Record<string, string>>
}

/** The requests for one family, in order. They don't depend on other scenarios and leave nothing behind. */
export interface Scenario {
  /** The group of its operations, such as `ip_policies`. */
  readonly family: string
  /** The path of its list, or an empty string if it has none. */
  readonly path: string
  readonly steps: readonly Step[]
}

const NAME_IN_BRACES = /\{([a-z][a-z_]*)\}/g

/** Returns the first name in a step that has no value, if any. */
export function findMissingName({ path, body = '' }: Step, values: ReadonlyMap<string, string>): string | undefined {
  const names = [...`${path}\n${body}`.matchAll(NAME_IN_BRACES)].map(([, name = '']) => name)
  return names.find((name) => !values.has(name))
}

/** Returns the request of a step, with its names replaced by values. All names must have values. */
export function fillRequest(
  { method, path, headers = {}, body }: Step,
  values: ReadonlyMap<string, string>,
): ApiRequest {
  const fill = (text: string) => text.replaceAll(NAME_IN_BRACES, (whole, name) => values.get(name) ?? whole)
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  return {
    method,
    path: fill(path),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [fill(name), value])),
    body: body?.replaceAll(NAME_IN_BRACES, (whole, name) => inJson(values.get(name) ?? whole)),
  }
}
