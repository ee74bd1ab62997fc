import type { Life } from '../../../../src/testing/testing.ts'

/** The parts of a run that the programs use. */
export type Place = Pick<Life, 'fetch' | 'url' | 'disk' | 'effect'>

export type Program = (place: Place) => Promise<unknown>

/** A response that is no success. */
export class Problem extends Error {
  readonly status: number
  readonly waitMs: number | undefined

  constructor(method: string, path: string, { status, headers }: Response) {
    super(`${method} ${path} was answered with ${status}`)
    this.status = status
    const seconds = headers.get('retry-after')
    this.waitMs = seconds === null ? undefined : Number(seconds) * 1000
  }
}

// Responses are what the reference says.
// biome-ignore lint/suspicious/noExplicitAny: as `response.json()` has it
export type Body = any

/** Sends one request, and does not try again. */
export type Call = (method: string, path: string, body?: object, signal?: AbortSignal) => Promise<Body>

export const headers = {
  authorization: 'Bearer key',
  'service-version': '2',
  'content-type': 'application/json',
}

export function callOf({ fetch, url }: Pick<Place, 'fetch' | 'url'>): Call {
  return async (method, path, body, signal) => {
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) }
    const response = await fetch(url + path, request)
    if (!response.ok) throw new Problem(method, path, response)
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Makes a program of a function that sends requests. */
export const program =
  (work: (call: Call, place: Place) => Promise<unknown>): Program =>
  (place) =>
    work(callOf(place), place)

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export const statusOf = (error: unknown) => (error instanceof Problem ? error.status : undefined)

/** A lost connection, half a response, a server in trouble or a limit: the next try may succeed. */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status === 429 || status >= 500
}

/** Tries again after failures that pass. */
export async function retried<T>(work: () => Promise<T>, most = 6): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === most || !isPassing(error)) throw error
      await sleep((error instanceof Problem && error.waitMs) || 1000)
    }
  }
}

/** Finds a resource of a list by one of its fields. */
export async function found(call: Call, items: string, field: string, value: string): Promise<Body> {
  const list = await call('GET', `/${items}`)
  return list[items].find((each: Record<string, unknown>) => each[field] === value)
}

/** Creates a resource, or finds it where that has happened before. */
const named = (call: Call, items: string, field: string, body: Body): Promise<Body> =>
  retried(async () => (await found(call, items, field, body[field])) ?? (await call('POST', `/${items}`, body)))

/** Reserves an address with a description, which is the only one with that. */
export const addressNamed = (call: Call, description: string) =>
  named(call, 'reserved_addrs', 'description', { description })

/** The fields of a domain with an automatic certificate. */
export const POLICY = { certificate_management_policy: { authority: 'letsencrypt' } }

/** Reserves a domain. */
export const domainNamed = (call: Call, domain: string, more: object = {}) =>
  named(call, 'reserved_domains', 'domain', { domain, ...more })

/** Deletes something. That it is gone already is as good. */
export const deleted = (call: Call, path: string): Promise<void> =>
  retried(() =>
    call('DELETE', path).catch((error) => {
      if (statusOf(error) !== 404) throw error
    }),
  )
