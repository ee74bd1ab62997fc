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

type Alter = (answer: Altered, request: Request) => void

/** Changes an answer, or what the server does. */
interface Divergence {
  /** The family that is asked. */
  readonly family: string
  /** An operation that differs then. */
  readonly operation: string
  /** Where: the place of a difference begins with it. */
  readonly at: string
  /** Changes the answer to a request. */
  readonly alter?: Alter
  /** Sends another request in the place of one. */
  readonly instead?: (request: Request) => Partial<Request> | undefined
}

const isList = ({ method, path }: Request) => method === 'GET' && /^\/\w+(\?|$)/.test(path)
const isOne = ({ method, path }: Request) => method === 'GET' && /^\/\w+\/\w+$/.test(path)
const itemsOf = (body: Json): Json[] => (Object.values(body ?? {}).find(Array.isArray) as Json[] | undefined) ?? []
const each = (body: Json, change: (item: Json) => void) => {
  for (const item of body?.id === undefined ? itemsOf(body) : [body]) change(item)
}
const onSuccess =
  (change: (body: Json, request: Request) => void): Alter =>
  (answer, request) => {
    if (answer.status < 300 && answer.body) change(answer.body, request)
  }
const inEach = (change: (item: Json) => void) => onSuccess((body) => each(body, change))
const errorsOf =
  (code: string, change: (answer: Altered) => void): Alter =>
  (answer) => {
    if (answer.body?.error_code === code) change(answer)
  }
const sortedQuery = (path: string, drop: string) => path.replace(new RegExp(`([?&])${drop}=[^&]*&?`), '$1')

const RULES = { family: 'ip_policy_rules' } as const
const POLICIES = { family: 'ip_policies' } as const
const VAULTS = { family: 'vaults' } as const

const DIVERGENCES: Readonly<Record<string, Divergence>> = {
  'ids in lower case, of which nothing can be deleted': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.uri',
    alter: inEach((item) => Object.assign(item, { id: item.id.toLowerCase() })),
  },
  'a time of creation that is years ago': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.created_at',
    alter: inEach((item) => Object.assign(item, { created_at: '2010-01-01T00:00:00Z' })),
  },
  'the same operation id in each answer': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'header ngrok-operation-id',
    alter: ({ headers }) => Object.assign(headers, { 'ngrok-operation-id': 'op_2AbCdEfGhIjKlMnOpQrStUvWxYz' }),
  },
  'the same token for each key': {
    family: 'api_keys',
    operation: 'api_keys.create',
    at: 'body.token',
    alter: inEach((item) => {
      if (item.token) item.token = item.token.replaceAll(/[0-9A-Za-z]/g, 'a')
    }),
  },
  'texts without the spaces around them': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.description',
    alter: inEach((item) => Object.assign(item, { description: item.description?.trim() })),
  },
  'texts in ASCII alone': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'body.description',
    alter: inEach((item) => Object.assign(item, { description: item.description?.replaceAll(/[^ -~]/g, '?') })),
  },
  'a time of change that stays that of the creation': {
    ...VAULTS,
    operation: 'vaults.update',
    at: 'body.updated_at',
    // The clock of the gateway stands: here the second vault shows that it should not.
    alter: inEach((item) => {
      if (item.name === 'fauxgate-verify-test-b') item.created_at = '2026-01-01T00:00:05Z'
    }),
  },
  'a byte order mark': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'body',
    alter: (answer) => Object.assign(answer, { mark: '\ufeff' }),
  },
  'a filter by startsWith that is ignored': {
    ...RULES,
    operation: 'ip_policy_rules.list',
    at: 'body.ip_policy_rules',
    instead: ({ path }) => (path.includes('startsWith') ? { path: sortedQuery(path, 'filter') } : undefined),
  },
  'a greatest limit of 50': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'status',
    instead: ({ path }) => (path.includes('limit=100') ? { path: path.replace('=100', '=101') } : undefined),
  },
  'a longer text than is allowed': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'status',
    instead: ({ body }) => (/^x+é$/.test(body?.description) ? { body: { description: 'x' } } : undefined),
  },
  'a shorter limit of texts': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'status',
    instead: ({ body }) => (/^x{255}$/.test(body?.description) ? { body: { description: 5 } } : undefined),
  },
  'empty texts that change nothing': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'body.description',
    instead: ({ body }) => (body?.description === '' ? { body: { metadata: '' } } : undefined),
  },
  'capital letters in the name of a domain': {
    family: 'reserved_domains',
    operation: 'reserved_domains.create',
    at: 'status',
    instead: ({ body }) => (/[A-Z]/.test(body?.domain ?? '') ? { body: { ...body, domain: 'no domain' } } : undefined),
  },
  'the size of a text in characters, and not in bytes': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'status',
    instead: ({ body }) =>
      body?.description?.length === 255 && /é$/.test(body.description) ? { body: { description: 'x' } } : undefined,
  },
  'characters of four bytes that are lost': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.description',
    alter: inEach((item) => Object.assign(item, { description: item.description?.replaceAll(/[^\0-\uffff]/gu, '?') })),
  },
  'spaces that a change cuts': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'body.description',
    instead: ({ method, body }) =>
      method === 'PATCH' && typeof body?.description === 'string'
        ? { body: { ...body, description: body.description.trim() } }
        : undefined,
  },
  'field names in any case': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'status',
    instead: ({ method, body }) =>
      method === 'PATCH'
        ? { body: Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value])) }
        : undefined,
  },
  'a field of creations that changes take': {
    ...RULES,
    operation: 'ip_policy_rules.update',
    at: 'status',
    instead: ({ method, body }) =>
      method === 'PATCH' && body?.ip_policy_id ? { body: { description: 'x' } } : undefined,
  },
  'a change of any content type': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'status',
    alter: (answer, { method, type }) =>
      void (method === 'PATCH' && type === 'text/plain' && Object.assign(answer, { status: 200 })),
  },
  'backends that a change without them keeps': {
    family: 'weighted_backends',
    operation: 'weighted_backends.update',
    at: 'body.backends',
    instead: remembered((seen, { path, body }) => {
      const [[id, weight] = []] = Object.entries(body?.backends ?? {})
      if (weight === 5 && id?.startsWith('bkdwd_')) seen.push(id)
      const isOther = body?.metadata === null && !path.endsWith(seen[0])
      return isOther ? { body: { ...body, backends: { [seen[0]]: 5 } } } : undefined
    }),
  },
  'filters in any case': {
    ...VAULTS,
    operation: 'vaults.list',
    at: 'body.vaults',
    instead: ({ path }) => (path.includes('filter=') ? { path: path.replaceAll('Fauxgate', 'fauxgate') } : undefined),
  },
  'a filter by != that is one by ==': {
    ...VAULTS,
    operation: 'vaults.list',
    at: 'body.vaults',
    instead: ({ path }) => (path.includes('!%3D') ? { path: path.replace('!%3D', '%3D%3D') } : undefined),
  },
  'a filter of the first page alone': {
    ...VAULTS,
    operation: 'vaults.list',
    at: 'body.next_page_uri',
    alter: (answer) => {
      if (answer.body?.next_page_uri) answer.body.next_page_uri = sortedQuery(answer.body.next_page_uri, 'filter')
    },
  },
  'a page that is cut before its filter': {
    ...VAULTS,
    operation: 'vaults.list',
    at: 'body.vaults',
    alter: (answer, { path }) => {
      if (path.includes('limit=1&filter=') && itemsOf(answer.body)[0]?.name.endsWith('-c')) itemsOf(answer.body).pop()
    },
  },
  'a cursor that must still be there': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'status',
    alter: remembering((seen, answer, { method, path }) => {
      if (method === 'DELETE' && answer.status === 204) seen.push(path.split('/').at(-1))
      if (seen.some((id) => path.includes(`before_id=${id}`))) answer.status = 404
    }),
  },
  'a policy that cannot be deleted with its rules': {
    ...RULES,
    operation: 'ip_policies.delete',
    at: 'status',
    instead: ({ method, path }) =>
      method === 'DELETE' && path.startsWith('/ip_policies/') ? { method: 'GET' } : undefined,
  },
  'a creation that answers 200': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'status',
    alter: (answer) => void (answer.status === 201 && Object.assign(answer, { status: 200 })),
  },
  'a deletion that answers 200 with an object': {
    ...POLICIES,
    operation: 'ip_policies.delete',
    at: 'status',
    alter: (answer) => void (answer.status === 204 && Object.assign(answer, { status: 200, body: {} })),
  },
  'a 404 that is a 400': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'status',
    alter: (answer) => void (answer.status === 404 && Object.assign(answer, { status: 400 })),
  },
  'a refusal that is a 422': {
    ...RULES,
    operation: 'ip_policy_rules.create',
    at: 'status',
    alter: (answer, { method }) =>
      void (answer.status === 400 && method === 'POST' && Object.assign(answer, { status: 422 })),
  },
  'an error without a code': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'body.error_code',
    alter: (answer) => void (answer.status === 404 && delete answer.body.error_code),
  },
  'another code of an error': {
    ...RULES,
    operation: 'ip_policy_rules.create',
    at: 'body.error_code',
    alter: errorsOf('ERR_NGROK_1409', ({ body }) => Object.assign(body, { error_code: 'ERR_NGROK_1406' })),
  },
  'an error whose status_code is a text': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'body.status_code',
    alter: (answer) => void (answer.status === 404 && Object.assign(answer.body, { status_code: '404' })),
  },
  'an error without a message': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'body.msg',
    alter: (answer) => void (answer.status === 404 && Object.assign(answer.body, { msg: '' })),
  },
  'an error without the id of the operation': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'body.details.operation_id',
    alter: (answer) => void (answer.status === 404 && Object.assign(answer.body, { details: {} })),
  },
  'a missing field': {
    ...RULES,
    operation: 'ip_policy_rules.get',
    at: 'body.action',
    alter: (answer, request) => void (isOne(request) && answer.status === 200 && delete answer.body.action),
  },
  'a missing field in lists alone': {
    ...RULES,
    operation: 'ip_policy_rules.list',
    at: 'body.ip_policy_rules[0].cidr',
    alter: (answer, request) => {
      if (isList(request)) each(answer.body, (item) => delete item.cidr)
    },
  },
  'a creation without an id': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.id',
    alter: (answer) => void (answer.status === 201 && delete answer.body.id),
  },
  'a further field': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies[0].rules',
    alter: inEach((item) => Object.assign(item, { rules: [] })),
  },
  'a number that is a text': {
    family: 'weighted_backends',
    operation: 'weighted_backends.create',
    at: 'body.backends.',
    alter: inEach((item) => {
      for (const id of Object.keys(item.backends ?? {})) item.backends[id] = String(item.backends[id])
    }),
  },
  'a boolean that is a text': {
    family: 'endpoints',
    operation: 'endpoints.get',
    at: 'body.pooling_enabled',
    alter: inEach((item) => Object.assign(item, { pooling_enabled: String(item.pooling_enabled) })),
  },
  'an object that is its id': {
    ...RULES,
    operation: 'ip_policy_rules.create',
    at: 'body.ip_policy',
    alter: inEach((item) => item.ip_policy && Object.assign(item, { ip_policy: item.ip_policy.id })),
  },
  'a list that is null': {
    family: 'credentials',
    operation: 'credentials.create',
    at: 'body.acl',
    alter: inEach((item) => item.acl?.length === 0 && Object.assign(item, { acl: null })),
  },
  'null in place of an absent field': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'body.metadata',
    alter: inEach((item) => Object.assign(item, { metadata: item.metadata ?? null })),
  },
  'an absent field in place of null': {
    family: 'credentials',
    operation: 'credentials.get',
    at: 'body.token',
    alter: inEach((item) => item.token === null && delete item.token),
  },
  'a token in each answer': {
    family: 'api_keys',
    operation: 'api_keys.get',
    at: 'body.token',
    alter: inEach((item) => Object.assign(item, { token: 'a-token' })),
  },
  'a token of another form': {
    family: 'credentials',
    operation: 'credentials.create',
    at: 'body.token',
    alter: inEach((item) => item.token && Object.assign(item, { token: 'short_token' })),
  },
  'a value of a secret in the answer': {
    family: 'vault_secrets',
    operation: 'vault_secrets.get',
    at: 'body.value',
    alter: inEach((item) => item.vault && Object.assign(item, { value: 'not a secret' })),
  },
  'a time in seconds': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.created_at',
    alter: inEach((item) => Object.assign(item, { created_at: Date.parse(item.created_at) / 1000 })),
  },
  'a time without a zone': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.created_at',
    alter: inEach((item) => Object.assign(item, { created_at: item.created_at.replace('Z', '') })),
  },
  'a time with milliseconds': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.created_at',
    alter: inEach((item) => Object.assign(item, { created_at: item.created_at.replace('Z', '.123Z') })),
  },
  'a created_at that moves with each change': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'body.created_at',
    alter: (answer, { method }) =>
      void (
        method === 'PATCH' &&
        answer.status === 200 &&
        Object.assign(answer.body, { created_at: '2026-02-01T00:00:00Z' })
      ),
  },
  'ids that are shorter': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.id',
    alter: (answer, { method }) =>
      void (
        method === 'POST' &&
        answer.status === 201 &&
        Object.assign(answer.body, { id: answer.body.id.slice(0, -2) })
      ),
  },
  'ids of another prefix': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies',
    alter: (answer, request) => {
      if (isList(request)) each(answer.body, (item) => Object.assign(item, { id: item.id.replace('ipp_', 'ippol_') }))
    },
  },
  'the id of another thing': {
    ...RULES,
    operation: 'ip_policy_rules.get',
    at: 'body.ip_policy',
    alter: inEach(
      (item) =>
        item.ip_policy &&
        Object.assign(item, { ip_policy: { id: item.id.replace('ipr', 'ipp'), uri: item.ip_policy.uri } }),
    ),
  },
  'a uri that leads elsewhere': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.uri',
    alter: inEach((item) => Object.assign(item, { uri: item.uri.replace('/ip_policies/', '/v2/ip_policies/') })),
  },
  'a uri on another host': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'body.uri',
    alter: inEach((item) => Object.assign(item, { uri: item.uri.replace('api.', 'api2.') })),
  },
  'lists that are oldest first': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies',
    alter: (answer, request) => void (isList(request) && itemsOf(answer.body).reverse()),
  },
  'lists under another key': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies',
    alter: (answer, request) => {
      if (!isList(request) || !answer.body.ip_policies) return
      answer.body = { items: answer.body.ip_policies, uri: answer.body.uri, next_page_uri: answer.body.next_page_uri }
    },
  },
  'a list with a thing twice': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies',
    alter: (answer, request) => {
      if (isList(request)) itemsOf(answer.body).push(...itemsOf(answer.body).slice(0, 1))
    },
  },
  'a list without the last thing': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies',
    alter: (answer, request) => void (isList(request) && itemsOf(answer.body).pop()),
  },
  'a list that still has what was deleted': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies',
    alter: remembering((deleted, answer, request) => {
      if (isOne(request) && answer.status === 200) deleted.push(answer.body)
      if (isList(request) && itemsOf(answer.body).length === 1) itemsOf(answer.body).unshift(deleted.at(-1))
    }),
  },
  'a next page that is the same page': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.next_page_uri',
    alter: (answer) => {
      if (answer.body?.next_page_uri) answer.body.next_page_uri = `${answer.body.uri}?limit=1`
    },
  },
  'a cursor that is the first thing of the next page': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.next_page_uri',
    alter: remembering((seen, answer, request) => {
      if (request.method === 'POST' && answer.status === 201) seen.push(answer.body.id)
      if (answer.body?.next_page_uri) answer.body.next_page_uri = `${answer.body.uri}?before_id=${seen[0]}&limit=1`
    }),
  },
  'a next page after the last one': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.next_page_uri',
    alter: (answer, request) => {
      const last = itemsOf(answer.body).at(-1)
      // Not in the inventory, which would never end.
      if (isList(request) && last && !request.path.endsWith('limit=100'))
        answer.body.next_page_uri = `${answer.body.uri}?before_id=${last.id}`
    },
  },
  'no next page': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.next_page_uri',
    alter: (answer, request) =>
      void (isList(request) && answer.body && Object.assign(answer.body, { next_page_uri: null })),
  },
  'a list that ignores the limit': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies',
    instead: (request) => (isList(request) ? { path: sortedQuery(request.path, 'limit') } : undefined),
  },
  'a list that ignores the cursor': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'body.ip_policies',
    instead: (request) => (isList(request) ? { path: sortedQuery(request.path, 'before_id') } : undefined),
  },
  'a list that ignores the filter': {
    ...RULES,
    operation: 'ip_policy_rules.list',
    at: 'body.ip_policy_rules',
    instead: (request) => (isList(request) ? { path: sortedQuery(request.path, 'filter') } : undefined),
  },
  'a list that takes unknown parameters': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'status',
    instead: (request) => (isList(request) ? { path: sortedQuery(request.path, 'fauxgate_verify') } : undefined),
  },
  'unknown fields that are ignored': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'status',
    instead: ({ body }) => {
      if (typeof body !== 'object') return undefined
      const { fauxgate_verify: _, ...known } = body
      return { body: known }
    },
  },
  'a name that may be taken twice': {
    ...VAULTS,
    operation: 'vaults.create',
    at: 'status',
    instead: ({ method, body }) =>
      method === 'POST' && body?.name === 'fauxgate-verify-test-a' && !body.metadata
        ? { body: { name: `${body.name}-${Math.random()}` } }
        : undefined,
  },
  'a name that is changed on its way': {
    ...VAULTS,
    operation: 'vaults.create',
    at: 'body.name',
    alter: inEach((item) => Object.assign(item, { name: item.name?.toUpperCase() })),
  },
  'a text that is too long and cut': {
    ...POLICIES,
    operation: 'ip_policies.create',
    at: 'status',
    instead: ({ body }) =>
      body?.description?.length > 255 ? { body: { ...body, description: body.description.slice(0, 255) } } : undefined,
  },
  'a missing field that gets a default': {
    ...RULES,
    operation: 'ip_policy_rules.create',
    at: 'status',
    instead: ({ method, body }) =>
      method === 'POST' && body?.cidr && !body.action ? { body: { ...body, action: 'allow' } } : undefined,
  },
  'a change that changes nothing': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'body.description',
    instead: ({ method, path }) => (method === 'PATCH' ? { method: 'GET', path, body: undefined } : undefined),
  },
  'a change that empties what it does not name': {
    ...RULES,
    operation: 'ip_policy_rules.update',
    at: 'body.description',
    alter: (answer, { method, body }) =>
      void (
        method === 'PATCH' &&
        answer.status === 200 &&
        body?.description &&
        Object.assign(answer.body, { description: '' })
      ),
  },
  'an empty change that is fine': {
    ...POLICIES,
    operation: 'ip_policies.update',
    at: 'status',
    instead: ({ method, path, body }) =>
      method === 'PATCH' && Object.keys(body).length === 0 ? { method: 'GET', path, body: undefined } : undefined,
  },
  'a deletion that can be done twice': {
    ...POLICIES,
    operation: 'ip_policies.delete',
    at: 'status',
    alter: (answer, { method }) =>
      void (method === 'DELETE' && answer.status === 404 && Object.assign(answer, { status: 204, body: undefined })),
  },
  'a thing that is there after its deletion': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'status',
    instead: ({ method, path }) => (method === 'DELETE' ? { method: 'GET', path } : undefined),
  },
  'an id of another kind that is only unknown': {
    ...POLICIES,
    operation: 'ip_policies.get',
    at: 'status',
    instead: ({ path }) => (path.startsWith('/ip_policies/op_') ? { path: path.replace('/op_', '/ipp_') } : undefined),
  },
  'a request without a version that is answered': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'status',
    alter: (answer, request) =>
      void (
        isList(request) &&
        /version/i.test(answer.body?.msg ?? '') &&
        Object.assign(answer, { status: 200, body: { ip_policies: [] } })
      ),
  },
  'another content type': {
    ...POLICIES,
    operation: 'ip_policies.list',
    at: 'header content-type',
    alter: ({ headers }) => void Object.assign(headers, { 'content-type': 'text/json' }),
  },
  'no id of the operation': {
    ...POLICIES,
    operation: 'ip_policies.delete',
    at: 'header ngrok-operation-id',
    alter: ({ headers }) => void delete headers['ngrok-operation-id'],
  },
  'an order of a list of texts': {
    family: 'credentials',
    operation: 'credentials.update',
    at: 'body.acl',
    alter: inEach((item) => item.acl?.reverse()),
  },
  'a policy that is written anew': {
    family: 'endpoints',
    operation: 'endpoints.create',
    at: 'body.traffic_policy',
    alter: inEach((item) => Object.assign(item, { traffic_policy: `${item.traffic_policy}\n` })),
  },
  'a domain that is managed by nobody': {
    family: 'reserved_domains',
    operation: 'reserved_domains.create',
    at: 'body.certificate_management_policy',
    alter: inEach((item) => item.domain && Object.assign(item, { certificate_management_policy: null })),
  },
  'a target below another domain': {
    family: 'reserved_domains',
    operation: 'reserved_domains.create',
    at: 'body.cname_target',
    alter: inEach((item) => item.cname_target && Object.assign(item, { cname_target: 'abc.other.example' })),
  },
  'a certificate whose serial number is another': {
    family: 'tls_certificates',
    operation: 'tls_certificates.create',
    at: 'body.serial_number',
    alter: inEach((item) => Object.assign(item, { serial_number: '00' })),
  },
  'a certificate that is valid longer': {
    family: 'tls_certificates',
    operation: 'tls_certificates.get',
    at: 'body.not_after',
    alter: inEach((item) => Object.assign(item, { not_after: '2099-01-01T00:00:00Z' })),
  },
}

/** Another request that depends on values of a run. */
function remembered(instead: (seen: Json[], request: Request) => Partial<Request> | undefined) {
  const seen: Json[] = []
  return (request: Request) => instead(seen, request)
}

/** An alteration that remembers values of a run. */
function remembering(alter: (seen: Json[], answer: Altered, request: Request) => void): Alter {
  const seen: Json[] = []
  return (answer, request) => alter(seen, answer, request)
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
  test.each(Object.entries(DIVERGENCES))('the divergence: %s', async (_name, divergence) => {
    const gateway = asked()
    const { family, operation, at } = divergence
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
    expect(Object.keys(DIVERGENCES).length).toBeGreaterThan(90)
  })
})
