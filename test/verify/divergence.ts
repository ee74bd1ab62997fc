import type { Gateway } from '../../src/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: the bodies of responses are changed in any way.
export type Json = any

/** A response on its way to the client. */
interface AlteredResponse {
  status: number
  body: Json
  /** The text before the body. */
  prefix?: string
  headers: Record<string, string>
}

interface Request {
  readonly method: string
  /** The path and query under the base URL. */
  readonly path: string
  readonly body: Json
  /** The media type of the body. */
  readonly type: string | null
}

type Alter = (response: AlteredResponse, request: Request) => unknown
type Replace = (request: Request) => Partial<Request> | undefined

/** A server that differs from fauxgate in one way: in its responses, or in the requests that it seems to receive. */
export interface Divergence {
  /** The family to verify. Default: that of the operation. */
  readonly family?: string
  /** The beginning of the place of a difference. */
  readonly at: string
  /** The method of the requests that differ. Default: any. */
  readonly method?: string
  /** Changes the response to a request. */
  readonly alter?: Alter
  /** Returns the changed parts of a request; undefined if the request is sent unchanged. */
  readonly replace?: Replace
}

export const isList = ({ method, path }: Request) => method === 'GET' && /^\/\w+(\?|$)/.test(path)
export const isOne = ({ method, path }: Request) => method === 'GET' && /^\/\w+\/\w+$/.test(path)
export const listItems = (body: Json): Json[] =>
  (Object.values(body ?? {}).find(Array.isArray) as Json[] | undefined) ?? []
export const omit = (path: string, parameter: string) => path.replace(new RegExp(`([?&])${parameter}=[^&]*&?`), '$1')

/** Returns a divergence of the responses to requests of a method. */
export const alterResponse = (method: string, at: string, alter: Alter): Divergence => ({ at, method, alter })
/** Returns a divergence of the requests of a method. */
export const replaceRequest = (method: string, at: string, replace: Replace): Divergence => ({ at, method, replace })
/** Returns a divergence of the responses with one status. */
export const alterIfStatus = (at: string, status: number, change: Alter): Divergence => ({
  at,
  alter: (response, request) => response.status === status && change(response, request),
})
/** Returns a divergence of each resource, by itself and in lists. */
export const alterEach = (at: string, change: (item: Json) => unknown): Divergence => ({
  at,
  alter: ({ status, body }) => {
    if (status < 300 && body) for (const item of body.id === undefined ? listItems(body) : [body]) change(item)
  },
})
/** Returns a divergence of each resource that sets fields. */
export const setFields = (at: string, fields: (item: Json) => object) =>
  alterEach(at, (item) => Object.assign(item, fields(item)))
/** Returns a divergence of one text of each resource. */
export const alterText = (field: string, change: (text: string) => unknown) =>
  alterEach(`body.${field}`, (item) => {
    if (typeof item[field] === 'string') item[field] = change(item[field])
  })
/** Returns a divergence of lists. */
export const alterLists = (at: string, change: (items: Json[], body: Json) => unknown): Divergence => ({
  at,
  alter: ({ body }, request) => isList(request) && body && change(listItems(body), body),
})
/** Returns a divergence of lists that ignore a parameter. */
export const ignoreParameter = (at: string, parameter: string) =>
  replaceRequest('GET', at, (request) => (isList(request) ? { path: omit(request.path, parameter) } : undefined))
/** Returns a divergence of the responses that depends on earlier values of the run. */
export function alterByHistory(
  at: string,
  alter: (history: Json[], response: AlteredResponse, request: Request) => unknown,
): Divergence {
  const history: Json[] = []
  return { at, alter: (response, request) => alter(history, response, request) }
}

/** Returns a divergence in which a change without backends keeps the backends, instead of removing all. */
export function keepBackends(): Divergence {
  let knownId = ''
  const replace: Replace = ({ path, body }) => {
    const [[id, weight] = []] = Object.entries(body?.backends ?? {})
    if (weight === 5 && id?.startsWith('bkdwd_')) knownId ||= id
    const isOther = body?.metadata === null && !path.endsWith(knownId)
    return isOther ? { body: { ...body, backends: { [knownId]: 5 } } } : undefined
  }
  return { at: 'body.backends', replace }
}

/** Returns a divergence in which requests of a method ignore a field of their body. */
export const ignoreField = (method: string, at: string, field: string): Divergence =>
  replaceRequest(method, at, ({ body }) => {
    if (body?.[field] === undefined) return undefined
    const { [field]: _, ...rest } = body
    return Object.keys(rest).length > 0 || method === 'POST' ? { body: rest } : { method: 'GET', body: undefined }
  })
/** Returns a divergence in which a resource stays until it is deleted itself. The paths of its kind begin with `path`. */
export const outlive = (path: string): Divergence =>
  alterByHistory('status', (history, response, request) => {
    if (request.method === 'DELETE') history.push(request.path)
    if (request.method !== 'GET' || !request.path.startsWith(path)) return
    const known = history.find((each) => each.path === request.path)
    if (response.status === 200) history.push({ path: request.path, body: response.body })
    else if (response.status === 404 && known && !history.includes(request.path))
      Object.assign(response, { status: 200, body: known.body })
  })
/** Returns a divergence in which no two resources have the same name, if they have a field. */
export function uniqueEverywhere(field: string): Divergence {
  const names = new Set<string>()
  return replaceRequest('POST', 'status', ({ body }) => {
    if (!body?.[field] || !body.name) return undefined
    if (names.has(body.name)) return { body: { ...body, name: '' } }
    names.add(body.name)
    return undefined
  })
}

/** Returns a divergence in which several resources can have the same name. */
export function renameAgain(name: string): Divergence {
  let count = 0
  return replaceRequest('POST', 'status', ({ body }) =>
    body?.name === name && count++ > 0 ? { body: { ...body, name: `${name}-${count}` } } : undefined,
  )
}

/** Returns a fetch function that sends requests to a gateway through a divergence. */
export function createFetch(gateway: Gateway, { method, alter, replace }: Divergence) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const text = typeof init.body === 'string' ? init.body : undefined
    const type = new Headers(init.headers).get('content-type')
    const request = { method: init.method ?? '', path: url.slice(gateway.url.length), body: parseJson(text), type }
    const isAffected = method === undefined || method === request.method
    const other = { ...request, ...(isAffected && replace?.(request)) }
    // A body that is no JSON is sent unchanged.
    const body = other.body === request.body ? text : JSON.stringify(other.body)
    const original = await gateway.fetch(gateway.url + other.path, {
      ...init,
      method: other.method,
      body: body ?? null,
    })
    const response: AlteredResponse = {
      status: original.status,
      body: parseJson(await original.text()),
      headers: Object.fromEntries(original.headers),
    }
    if (isAffected) alter?.(response, request)
    const { body: newBody, prefix = '', ...head } = response
    return new Response(newBody === undefined ? null : prefix + JSON.stringify(newBody), head)
  }
}

function parseJson(text: string | undefined): Json {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
