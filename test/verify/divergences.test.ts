import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../src/index.ts'
import { exitCodeOf } from '../../src/verify/report.ts'
import { asked, urlOf, verified } from '../support/verifying.ts'

// biome-ignore lint/suspicious/noExplicitAny: the bodies of answers are changed in any way.
type Json = any

/** An answer on its way to the client. */
interface Altered {
  status: number
  body: Json
  /** Comes before the body. */
  mark?: string
  headers: Record<string, string>
}

interface Request {
  readonly method: string
  /** The path and query below the base URL. */
  readonly path: string
  readonly body: Json
  /** The media type of the body. */
  readonly type: string | null
}

/** Changes an answer, or what the server does. */
interface Divergence {
  /** The family that is asked. Default: that of the operation. */
  readonly family?: string
  /** The beginning of the place of a difference. */
  readonly at: string
  /** Changes the answer to a request. */
  readonly alter?: (answer: Altered, request: Request) => unknown
  /** Sends another request in the place of one. */
  readonly instead?: (request: Request) => Partial<Request> | undefined
}

const isList = ({ method, path }: Request) => method === 'GET' && /^\/\w+(\?|$)/.test(path)
const isOne = ({ method, path }: Request) => method === 'GET' && /^\/\w+\/\w+$/.test(path)
const itemsOf = (body: Json): Json[] => (Object.values(body ?? {}).find(Array.isArray) as Json[] | undefined) ?? []
const without = (path: string, parameter: string) => path.replace(new RegExp(`([?&])${parameter}=[^&]*&?`), '$1')

/** Another answer to a request. */
const answers = (at: string, alter: NonNullable<Divergence['alter']>): Divergence => ({ at, alter })
/** Another request in the place of one. */
const asks = (at: string, instead: NonNullable<Divergence['instead']>): Divergence => ({ at, instead })
/** Other answers of one status. */
const on = (at: string, status: number, change: (answer: Altered, request: Request) => unknown) =>
  answers(at, (answer, request) => answer.status === status && change(answer, request))
/** Another resource, by itself and in lists. */
const inEach = (at: string, change: (item: Json) => unknown) =>
  answers(at, ({ status, body }) => {
    if (status < 300 && body) for (const item of body.id === undefined ? itemsOf(body) : [body]) change(item)
  })
/** Other fields of each resource. */
const set = (at: string, fields: (item: Json) => object) => inEach(at, (item) => Object.assign(item, fields(item)))
/** Other lists. */
const inLists = (at: string, change: (items: Json[], body: Json) => unknown) =>
  answers(at, ({ body }, request) => isList(request) && body && change(itemsOf(body), body))
/** Lists that ignore a parameter. */
const ignores = (at: string, parameter: string) =>
  asks(at, (request) => (isList(request) ? { path: without(request.path, parameter) } : undefined))
/** Another answer that depends on values of a run. */
function remembering(at: string, alter: (seen: Json[], answer: Altered, request: Request) => unknown): Divergence {
  const seen: Json[] = []
  return answers(at, (answer, request) => alter(seen, answer, request))
}

/** Divergences by the operation that differs then. */
const DIVERGENCES: Readonly<Record<string, Readonly<Record<string, Divergence>>>> = {
  'ip_policies.create': {
    'ids in lower case, of which nothing can be deleted': set('body.uri', (item) => ({ id: item.id.toLowerCase() })),
    'a time of creation that is years ago': set('body.created_at', () => ({ created_at: '2010-01-01T00:00:00Z' })),
    'the same operation id in each answer': answers('header ngrok-operation-id', ({ headers }) =>
      Object.assign(headers, { 'ngrok-operation-id': 'op_2AbCdEfGhIjKlMnOpQrStUvWxYz' }),
    ),
    'texts without the spaces around them': set('body.description', (item) => ({
      description: item.description?.trim(),
    })),
    'characters of four bytes that are lost': set('body.description', (item) => ({
      description: item.description?.replaceAll(/[^\0-\uffff]/gu, '?'),
    })),
    'a creation that answers 200': on('status', 201, (answer) => Object.assign(answer, { status: 200 })),
    'a creation without an id': on('body.id', 201, ({ body }) => delete body.id),
    'a time in seconds': set('body.created_at', (item) => ({ created_at: Date.parse(item.created_at) / 1000 })),
    'a time without a zone': set('body.created_at', (item) => ({ created_at: item.created_at.replace('Z', '') })),
    'a time with milliseconds': set('body.created_at', (item) => ({
      created_at: item.created_at.replace('Z', '.123Z'),
    })),
    'ids that are shorter': on('body.id', 201, ({ body }) => Object.assign(body, { id: body.id.slice(0, -2) })),
    'a uri that leads elsewhere': set('body.uri', (item) => ({
      uri: item.uri.replace('/ip_policies/', '/v2/ip_policies/'),
    })),
    'a uri on another host': set('body.uri', (item) => ({ uri: item.uri.replace('api.', 'api2.') })),
    'unknown fields that are ignored': asks('status', ({ body }) => {
      if (typeof body !== 'object') return undefined
      const { fauxgate_verify: _, ...known } = body
      return { body: known }
    }),
    'a text that is too long and cut': asks('status', ({ body }) =>
      body?.description?.length > 255 ? { body: { ...body, description: body.description.slice(0, 255) } } : undefined,
    ),
  },
  'api_keys.create': {
    'the same token for each key': inEach('body.token', (item) => {
      if (item.token) item.token = item.token.replaceAll(/[0-9A-Za-z]/g, 'a')
    }),
  },
  'ip_policies.get': {
    'texts in ASCII alone': set('body.description', (item) => ({
      description: item.description?.replaceAll(/[^ -~]/g, '?'),
    })),
    'a byte order mark': answers('body', (answer) => Object.assign(answer, { mark: '\ufeff' })),
    'a 404 that is a 400': on('status', 404, (answer) => Object.assign(answer, { status: 400 })),
    'an error without a code': on('body.error_code', 404, ({ body }) => delete body.error_code),
    'an error whose status_code is a text': on('body.status_code', 404, ({ body }) =>
      Object.assign(body, { status_code: '404' }),
    ),
    'an error without a message': on('body.msg', 404, ({ body }) => Object.assign(body, { msg: '' })),
    'an error without the id of the operation': on('body.details.operation_id', 404, ({ body }) =>
      Object.assign(body, { details: {} }),
    ),
    'null in place of an absent field': set('body.metadata', (item) => ({ metadata: item.metadata ?? null })),
    'a change that changes nothing': asks('body.description', ({ method, path }) =>
      method === 'PATCH' ? { method: 'GET', path, body: undefined } : undefined,
    ),
    'a thing that is there after its deletion': asks('status', ({ method, path }) =>
      method === 'DELETE' ? { method: 'GET', path } : undefined,
    ),
    'an id of another kind that is only unknown': asks('status', ({ path }) =>
      path.startsWith('/ip_policies/op_') ? { path: path.replace('/op_', '/ipp_') } : undefined,
    ),
  },
  'vaults.update': {
    // The clock of the gateway stands: here the second vault shows that it should not.
    'a time of change that stays that of the creation': inEach('body.updated_at', (item) => {
      if (item.name === 'fauxgate-verify-test-b') item.created_at = '2026-01-01T00:00:05Z'
    }),
  },
  'ip_policy_rules.list': {
    'a filter by startsWith that is ignored': asks('body.ip_policy_rules', ({ path }) =>
      path.includes('startsWith') ? { path: without(path, 'filter') } : undefined,
    ),
    'a missing field in lists alone': inLists('body.ip_policy_rules[0].cidr', (items) => {
      for (const item of items) delete item.cidr
    }),
    'a list that ignores the filter': ignores('body.ip_policy_rules', 'filter'),
  },
  'ip_policies.list': {
    'a greatest limit of 50': asks('status', ({ path }) =>
      path.includes('limit=100') ? { path: path.replace('=100', '=101') } : undefined,
    ),
    'a cursor that must still be there': remembering('status', (seen, answer, { method, path }) => {
      if (method === 'DELETE' && answer.status === 204) seen.push(path.split('/').at(-1))
      if (seen.some((id) => path.includes(`before_id=${id}`))) answer.status = 404
    }),
    'a further field': set('body.ip_policies[0].rules', () => ({ rules: [] })),
    'ids of another prefix': inLists('body.ip_policies', (items) => {
      for (const item of items) item.id = item.id.replace('ipp_', 'ippol_')
    }),
    'lists that are oldest first': inLists('body.ip_policies', (items) => items.reverse()),
    'lists under another key': inLists('body.ip_policies', (items, body) => {
      delete body.ip_policies
      Object.assign(body, { items })
    }),
    'a list with a thing twice': inLists('body.ip_policies', (items) => items.push(...items.slice(0, 1))),
    'a list without the last thing': inLists('body.ip_policies', (items) => items.pop()),
    'a list that still has what was deleted': remembering('body.ip_policies', (deleted, answer, request) => {
      if (isOne(request) && answer.status === 200) deleted.push(answer.body)
      if (isList(request) && itemsOf(answer.body).length === 1) itemsOf(answer.body).unshift(deleted.at(-1))
    }),
    'a next page that is the same page': answers('body.next_page_uri', (answer) => {
      if (answer.body?.next_page_uri) answer.body.next_page_uri = `${answer.body.uri}?limit=1`
    }),
    'a cursor that is the first thing of the next page': remembering('body.next_page_uri', (seen, answer, request) => {
      if (request.method === 'POST' && answer.status === 201) seen.push(answer.body.id)
      if (answer.body?.next_page_uri) answer.body.next_page_uri = `${answer.body.uri}?before_id=${seen[0]}&limit=1`
    }),
    'a next page after the last one': answers('body.next_page_uri', (answer, request) => {
      const last = itemsOf(answer.body).at(-1)
      // Not in the inventory, which would never end.
      if (isList(request) && last && !request.path.endsWith('limit=100'))
        answer.body.next_page_uri = `${answer.body.uri}?before_id=${last.id}`
    }),
    'no next page': inLists('body.next_page_uri', (_, body) => Object.assign(body, { next_page_uri: null })),
    'a list that ignores the limit': ignores('body.ip_policies', 'limit'),
    'a list that ignores the cursor': ignores('body.ip_policies', 'before_id'),
    'a list that takes unknown parameters': ignores('status', 'fauxgate_verify'),
    'a request without a version that is answered': answers(
      'status',
      (answer, request) =>
        isList(request) &&
        /version/i.test(answer.body?.msg ?? '') &&
        Object.assign(answer, { status: 200, body: { ip_policies: [] } }),
    ),
    'another content type': answers('header content-type', ({ headers }) =>
      Object.assign(headers, { 'content-type': 'text/json' }),
    ),
  },
  'ip_policies.update': {
    'a longer text than is allowed': asks('status', ({ body }) =>
      /^x+é$/.test(body?.description) ? { body: { description: 'x' } } : undefined,
    ),
    'a shorter limit of texts': asks('status', ({ body }) =>
      /^x{255}$/.test(body?.description) ? { body: { description: 5 } } : undefined,
    ),
    'empty texts that change nothing': asks('body.description', ({ body }) =>
      body?.description === '' ? { body: { metadata: '' } } : undefined,
    ),
    'the size of a text in characters, and not in bytes': asks('status', ({ body }) =>
      body?.description?.length === 255 && /é$/.test(body.description) ? { body: { description: 'x' } } : undefined,
    ),
    'spaces that a change cuts': asks('body.description', ({ method, body }) =>
      method === 'PATCH' && typeof body?.description === 'string'
        ? { body: { ...body, description: body.description.trim() } }
        : undefined,
    ),
    'field names in any case': asks('status', ({ method, body }) =>
      method === 'PATCH'
        ? { body: Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value])) }
        : undefined,
    ),
    'a change of any content type': answers(
      'status',
      (answer, { method, type }) =>
        method === 'PATCH' && type === 'text/plain' && Object.assign(answer, { status: 200 }),
    ),
    'a created_at that moves with each change': answers(
      'body.created_at',
      (answer, { method }) =>
        method === 'PATCH' &&
        answer.status === 200 &&
        Object.assign(answer.body, { created_at: '2026-02-01T00:00:00Z' }),
    ),
    'an empty change that is fine': asks('status', ({ method, path, body }) =>
      method === 'PATCH' && Object.keys(body).length === 0 ? { method: 'GET', path, body: undefined } : undefined,
    ),
  },
  'reserved_domains.create': {
    'capital letters in the name of a domain': asks('status', ({ body }) =>
      /[A-Z]/.test(body?.domain ?? '') ? { body: { ...body, domain: 'no domain' } } : undefined,
    ),
    'a domain that is managed by nobody': inEach(
      'body.certificate_management_policy',
      (item) => item.domain && Object.assign(item, { certificate_management_policy: null }),
    ),
    'a target below another domain': inEach(
      'body.cname_target',
      (item) => item.cname_target && Object.assign(item, { cname_target: 'abc.other.example' }),
    ),
  },
  'ip_policy_rules.update': {
    'a field of creations that changes take': asks('status', ({ method, body }) =>
      method === 'PATCH' && body?.ip_policy_id ? { body: { description: 'x' } } : undefined,
    ),
    'a change that empties what it does not name': answers(
      'body.description',
      (answer, { method, body }) =>
        method === 'PATCH' &&
        answer.status === 200 &&
        body?.description &&
        Object.assign(answer.body, { description: '' }),
    ),
  },
  'weighted_backends.update': {
    'backends that a change without them keeps': asks(
      'body.backends',
      remembered((seen, { path, body }) => {
        const [[id, weight] = []] = Object.entries(body?.backends ?? {})
        if (weight === 5 && id?.startsWith('bkdwd_')) seen.push(id)
        const isOther = body?.metadata === null && !path.endsWith(seen[0])
        return isOther ? { body: { ...body, backends: { [seen[0]]: 5 } } } : undefined
      }),
    ),
  },
  'vaults.list': {
    'filters in any case': asks('body.vaults', ({ path }) =>
      path.includes('filter=') ? { path: path.replaceAll('Fauxgate', 'fauxgate') } : undefined,
    ),
    'a filter by != that is one by ==': asks('body.vaults', ({ path }) =>
      path.includes('!%3D') ? { path: path.replace('!%3D', '%3D%3D') } : undefined,
    ),
    'a filter of the first page alone': answers('body.next_page_uri', (answer) => {
      if (answer.body?.next_page_uri) answer.body.next_page_uri = without(answer.body.next_page_uri, 'filter')
    }),
    'a page that is cut before its filter': answers('body.vaults', (answer, { path }) => {
      if (path.includes('limit=1&filter=') && itemsOf(answer.body)[0]?.name.endsWith('-c')) itemsOf(answer.body).pop()
    }),
  },
  'ip_policies.delete': {
    'a policy that cannot be deleted with its rules': {
      family: 'ip_policy_rules',
      ...asks('status', ({ method, path }) =>
        method === 'DELETE' && path.startsWith('/ip_policies/') ? { method: 'GET' } : undefined,
      ),
    },
    'a deletion that answers 200 with an object': on('status', 204, (answer) =>
      Object.assign(answer, { status: 200, body: {} }),
    ),
    'a deletion that can be done twice': answers(
      'status',
      (answer, { method }) =>
        method === 'DELETE' && answer.status === 404 && Object.assign(answer, { status: 204, body: undefined }),
    ),
    'no id of the operation': answers(
      'header ngrok-operation-id',
      ({ headers }) => delete headers['ngrok-operation-id'],
    ),
  },
  'ip_policy_rules.create': {
    'a refusal that is a 422': on(
      'status',
      400,
      (answer, { method }) => method === 'POST' && Object.assign(answer, { status: 422 }),
    ),
    'another code of an error': on('body.error_code', 400, ({ body }) => {
      if (body.error_code === 'ERR_NGROK_1409') body.error_code = 'ERR_NGROK_1406'
    }),
    'an object that is its id': inEach(
      'body.ip_policy',
      (item) => item.ip_policy && Object.assign(item, { ip_policy: item.ip_policy.id }),
    ),
    'a missing field that gets a default': asks('status', ({ method, body }) =>
      method === 'POST' && body?.cidr && !body.action ? { body: { ...body, action: 'allow' } } : undefined,
    ),
  },
  'ip_policy_rules.get': {
    'a missing field': on('body.action', 200, ({ body }, request) => isOne(request) && delete body.action),
    'the id of another thing': inEach(
      'body.ip_policy',
      (item) =>
        item.ip_policy &&
        Object.assign(item, { ip_policy: { id: item.id.replace('ipr', 'ipp'), uri: item.ip_policy.uri } }),
    ),
  },
  'weighted_backends.create': {
    'a number that is a text': inEach('body.backends.', (item) => {
      for (const id of Object.keys(item.backends ?? {})) item.backends[id] = String(item.backends[id])
    }),
  },
  'endpoints.get': {
    'a boolean that is a text': set('body.pooling_enabled', (item) => ({
      pooling_enabled: String(item.pooling_enabled),
    })),
  },
  'credentials.create': {
    'a list that is null': inEach('body.acl', (item) => item.acl?.length === 0 && Object.assign(item, { acl: null })),
    'a token of another form': inEach(
      'body.token',
      (item) => item.token && Object.assign(item, { token: 'short_token' }),
    ),
  },
  'credentials.get': {
    'an absent field in place of null': inEach('body.token', (item) => item.token === null && delete item.token),
  },
  'api_keys.get': {
    'a token in each answer': set('body.token', () => ({ token: 'a-token' })),
  },
  'vault_secrets.get': {
    'a value of a secret in the answer': inEach(
      'body.value',
      (item) => item.vault && Object.assign(item, { value: 'not a secret' }),
    ),
  },
  'vaults.create': {
    'a name that may be taken twice': asks('status', ({ method, body }) =>
      method === 'POST' && body?.name === 'fauxgate-verify-test-a' && !body.metadata
        ? { body: { name: `${body.name}-${Math.random()}` } }
        : undefined,
    ),
    'a name that is changed on its way': set('body.name', (item) => ({ name: item.name?.toUpperCase() })),
  },
  'credentials.update': {
    'an order of a list of texts': inEach('body.acl', (item) => item.acl?.reverse()),
  },
  'endpoints.create': {
    'a policy that is written anew': set('body.traffic_policy', (item) => ({
      traffic_policy: `${item.traffic_policy}\n`,
    })),
  },
  'tls_certificates.create': {
    'a certificate whose serial number is another': set('body.serial_number', () => ({ serial_number: '00' })),
  },
  'tls_certificates.get': {
    'a certificate that is valid longer': set('body.not_after', () => ({ not_after: '2099-01-01T00:00:00Z' })),
  },
}

/** Another request that depends on values of a run. */
function remembered(instead: (seen: Json[], request: Request) => Partial<Request> | undefined) {
  const seen: Json[] = []
  return (request: Request) => instead(seen, request)
}

/** Sends requests to a gateway through a divergence. */
function through(gateway: Gateway, { alter, instead }: Divergence) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const text = typeof init.body === 'string' ? init.body : undefined
    const type = new Headers(init.headers).get('content-type')
    const request = { method: init.method ?? '', path: url.slice(gateway.url.length), body: jsonOf(text), type }
    const other = { ...request, ...instead?.(request) }
    const { body: _, ...rest } = init
    const sent = other.body === request.body ? text : other.body === undefined ? undefined : JSON.stringify(other.body)
    const response = await gateway.fetch(gateway.url + other.path, {
      ...rest,
      method: other.method,
      ...(sent !== undefined && { body: sent }),
    })
    const answer: Altered = {
      status: response.status,
      body: jsonOf(await response.text()),
      headers: Object.fromEntries(response.headers),
    }
    alter?.(answer, request)
    const { body: altered, mark = '', ...head } = answer
    return new Response(altered === undefined ? null : mark + JSON.stringify(altered), head)
  }
}

function jsonOf(text: string | undefined): Json {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

describe('A run finds', () => {
  const rows = Object.entries(DIVERGENCES).flatMap(([operation, divergences]) =>
    Object.entries(divergences).map(([name, divergence]) => [name, operation, divergence] as const),
  )

  test.each(rows)('the divergence: %s', async (_name, operation, divergence) => {
    const gateway = asked()
    const { at, family = operation.replace(/\..*/, '') } = divergence
    const { report } = await verified(through(gateway, divergence), { ...urlOf(gateway), families: [family] })
    const places = report.outcomes
      .filter((each) => each.operation === operation)
      .flatMap(({ differences = [] }) => differences.map((each) => each.at))
    expect(places.filter((place) => place.startsWith(at))).not.toEqual([])
    expect([1, 4]).toContain(exitCodeOf(report))
    // What cannot be deleted is named; all else is gone.
    const named = new Set([...report.remaining, ...report.inventory].map(({ path }) => path))
    expect(gateway.leftovers().length === 0 || named.size > 0).toBe(true)
  })

  test('each of more than ninety divergences', () => {
    expect(rows.length).toBeGreaterThan(90)
  })
})
