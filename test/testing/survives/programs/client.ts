import type { Life } from '../../../../src/testing/testing.ts'

/** The part of the explorer's argument that programs use. */
export type ProgramInput = Pick<Life, 'fetch' | 'url' | 'disk' | 'effect'>

export type Program = (input: ProgramInput) => Promise<unknown>

/** The error of a response that is no success. */
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

// biome-ignore lint/suspicious/noExplicitAny: as the result of `response.json()`.
export type Body = any

/** A function that sends one request, and does not try again. */
export type Call = (method: string, path: string, body?: object, signal?: AbortSignal) => Promise<Body>

export const headers = {
  authorization: 'Bearer key',
  'service-version': '2',
  'ngrok-version': '2',
  'content-type': 'application/json',
}

export function createCall({ fetch, url }: Pick<ProgramInput, 'fetch' | 'url'>): Call {
  return async (method, path, body, signal) => {
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) }
    const response = await fetch(url + path, request)
    if (!response.ok) throw new Problem(method, path, response)
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Returns a program that calls `work` with a function that sends requests. */
export const program =
  (work: (call: Call, input: ProgramInput) => Promise<unknown>): Program =>
  (input) =>
    work(createCall(input), input)

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export const statusOf = (error: unknown) => (error instanceof Problem ? error.status : undefined)

/** Returns true for a lost connection, half a response, a server error or a limit: the next try may succeed. */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status === 429 || status >= 500
}

/** Calls a function again after transient errors. */
export async function retry<T>(work: () => Promise<T>, maxTries = 6): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === maxTries || !isTransient(error)) throw error
      await sleep((error instanceof Problem && error.waitMs) || 1000)
    }
  }
}

/** Finds a resource of a list by one of its fields. */
export async function find(call: Call, items: string, field: string, value: string): Promise<Body> {
  const list = await call('GET', `/${items}`)
  return list[items].find((each: Record<string, unknown>) => each[field] === value)
}

/** Finds a resource by one of its fields, or creates it. */
const findOrCreate = (call: Call, items: string, field: string, body: Body): Promise<Body> =>
  retry(async () => (await find(call, items, field, body[field])) ?? (await call('POST', `/${items}`, body)))

/** Reserves an address, unless there is one with this description. */
export const ensureAddress = (call: Call, description: string) =>
  findOrCreate(call, 'reserved_addrs', 'description', { description })

/** The fields of a domain with an automatic certificate. */
export const POLICY = { certificate_management_policy: { authority: 'letsencrypt' } }

/** Reserves a domain, unless it is reserved already. */
export const ensureDomain = (call: Call, domain: string, more: object = {}) =>
  findOrCreate(call, 'reserved_domains', 'domain', { domain, ...more })

/** Deletes a resource, unless it is deleted already. */
export const deleteResource = (call: Call, path: string): Promise<void> =>
  retry(() =>
    call('DELETE', path).catch((error) => {
      if (statusOf(error) !== 404) throw error
    }),
  )
