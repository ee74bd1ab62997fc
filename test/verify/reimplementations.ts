import {
  alterEach,
  alterResponse,
  alterText,
  type Divergence,
  ignoreField,
  type Json,
  listItems,
  omit,
  outlive,
  replaceRequest,
} from './divergence.ts'

const POLICY = '/certificate_management_policy'
const UNKNOWN = 'fauxgateVerify0000000000000'

/** Makes of an error of some requests that these are accepted. */
const acceptIf = (method: string, status: number, isAt: (path: string, body: Json) => boolean): Divergence =>
  alterResponse(method, 'status', (response, { path, body }) => {
    if ([400, 409].includes(response.status) && isAt(path, body))
      Object.assign(response, { status, body: status === 204 ? undefined : response.body })
  })

/** Ignores a parameter whose value is one that the API accepts. */
const ignoreAccepted = (parameter: string, accepted: RegExp): Divergence =>
  replaceRequest('GET', '', ({ path }) =>
    accepted.test(new URLSearchParams(path.split('?')[1]).get(parameter) ?? '')
      ? { path: omit(path, parameter) }
      : undefined,
  )

/** Adds what earlier accepted bodies at a path had to later ones. */
function mergeBodies(method: string, merge: (earlier: Json, body: Json, path: string) => Json): Divergence {
  const earlier = new Map<string, Json>()
  return {
    at: '',
    replace: (request) => {
      const { path, body } = request
      if (request.method !== method || !body) return undefined
      return { body: merge(earlier.get(path) ?? {}, body, path) }
    },
    alter: (response, { method: sent, path, body }) => {
      if (response.status >= 300 || !body) return
      if (sent === 'POST') earlier.set(`${path}/${response.body?.id}`, body)
      if (sent === method) earlier.set(path, merge(earlier.get(path) ?? {}, body, path))
    },
  }
}

/** Gives a field a value if a creation leaves it out. */
const defaultTo = (at: string, field: string, value: unknown) =>
  replaceRequest('POST', '', ({ path, body }) =>
    path === at && body && !Array.isArray(body) && body[field] === undefined
      ? { body: { ...body, [field]: value } }
      : undefined,
  )

/** Renames what has a value that came before, so that it is accepted. */
function acceptTwice(method: string, field: string): Divergence {
  const seen = new Map<string, string>()
  let count = 0
  return {
    at: '',
    replace: ({ method: sent, path, body }) => {
      const value = body?.[field]
      if (sent !== method || typeof value !== 'string') return undefined
      return seen.has(value) && seen.get(value) !== path
        ? { body: { ...body, [field]: `z${count++}${value}` } }
        : undefined
    },
    alter: ({ status, body: made }, { method: sent, path, body }) => {
      if (sent === 'DELETE') for (const [value, owner] of seen) if (owner === path) seen.delete(value)
      if (status < 300 && body?.[field]) seen.set(body[field], sent === 'POST' ? `${path}/${made.id}` : path)
    },
  }
}

/** Differences that a reimplementation of the API can have, with the operation whose response shows them first. */
export const REIMPLEMENTATIONS: readonly (readonly [operation: string, what: string, divergence: Divergence])[] = [
  [
    'reserved_addrs.create',
    'a creation that ignores a reference',
    ignoreField('POST', '', 'endpoint_configuration_id'),
  ],
  ['api_keys.update', 'a change that ignores the metadata', ignoreField('PATCH', '', 'metadata')],
  ['credentials.create', 'another default of a list', defaultTo('/credentials', 'acl', ['bind:*.example.com'])],
  [
    'ssh_user_certificates.create',
    'another default of a time',
    defaultTo('/ssh_user_certificates', 'valid_until', '2033-01-01T00:00:00Z'),
  ],
  ['event_destinations.update', 'null for an empty text', alterText('metadata', (text) => text || null)],
  [
    'weighted_backends.create',
    'null for an empty map',
    alterEach('', (item) => {
      if (item.backends && Object.keys(item.backends).length === 0) item.backends = null
    }),
  ],
  [
    'reserved_domains.create',
    'a domain that keeps its capitals',
    alterResponse('POST', '', ({ status, body }, request) => {
      if (status === 201 && /[A-Z]/.test(request.body?.domain ?? '')) body.domain = request.body.domain
    }),
  ],
  ['vaults.update', 'a name that a change may take twice', acceptTwice('PATCH', 'name')],
  [
    'tls_certificates.delete',
    'a certificate that is deleted while a domain uses it',
    { family: 'reserved_domains', ...acceptIf('DELETE', 204, (path) => path.startsWith('/tls_certificates/')) },
  ],
  ['kubernetes_operators.list', 'a list that ignores the cursor', ignoreAccepted('before_id', /^k8sop_\w{27}$/)],
  ['failover_backends.list', 'a list that ignores the limit', ignoreAccepted('limit', /^[1-9]\d?$/)],
  [
    'endpoint_configurations.list',
    'pages that are oldest first',
    alterResponse('GET', '', ({ body }, { path }) => {
      if (path.includes('limit=')) listItems(body).reverse()
    }),
  ],
  [
    'event_subscriptions.list',
    'a list that ignores the filter',
    ignoreAccepted('filter', /^obj\.(id|metadata|description|created_at)/),
  ],
  [
    'ssh_certificate_authorities.create',
    'a key that is smaller than the body says',
    replaceRequest('POST', '', ({ body }) =>
      body?.key_size === 4096 ? { body: { ...body, key_size: 2048 } } : undefined,
    ),
  ],
  [
    'ip_policies.update',
    'a null that empties a text',
    replaceRequest('PATCH', '', ({ body }) =>
      body?.description === null && body.metadata ? { body: { ...body, description: '' } } : undefined,
    ),
  ],
  [
    'vault_secrets.delete',
    'a deletion that answers 200',
    alterResponse('DELETE', '', (response) => {
      if (response.status === 204) response.status = 200
    }),
  ],
  [
    'ssh_host_certificates.create',
    'another error code of an unknown reference',
    alterResponse('POST', '', ({ status, body }, request) => {
      if (status >= 400 && String(request.body?.ssh_certificate_authority_id).endsWith(UNKNOWN))
        body.error_code = 'ERR_NGROK_1940'
    }),
  ],
  [
    'http_response_backends.update',
    'a change that resets what it does not name',
    mergeBodies('PATCH', (_, body) => ({ body: '', headers: {}, status_code: 200, ...body })),
  ],
  [
    'endpoint_configuration_response_headers.replace',
    'a module whose PUT keeps what it does not name',
    {
      family: 'endpoint_configurations',
      ...mergeBodies('PUT', (earlier, body, path) =>
        path.endsWith('/response_headers') ? { ...earlier, ...body } : body,
      ),
    },
  ],
  [
    'endpoint_configurations.get',
    'a module that is not stored',
    alterResponse('GET', '', (response, { path }) => {
      if (path.endsWith('/saml')) response.status = 404
      if (response.body?.saml) response.body.saml = null
    }),
  ],
  [
    'weighted_backends.create',
    'references to nothing',
    acceptIf('POST', 201, (_, body) => JSON.stringify(body?.backends ?? {}).includes(UNKNOWN)),
  ],
  ['agent_ingresses.create', 'a domain that two creations may take', acceptTwice('POST', 'domain')],
  [
    'ssh_certificate_authorities.delete',
    'an authority that is deleted while a certificate uses it',
    {
      family: 'ssh_host_certificates',
      ...acceptIf('DELETE', 204, (path) => path.startsWith('/ssh_certificate_authorities/')),
    },
  ],
  [
    'credentials.update',
    'a change that adds to a list',
    mergeBodies('PATCH', ({ acl: earlier = [] }, body) =>
      Array.isArray(body.acl) ? { ...body, acl: [...new Set([...earlier, ...body.acl])] } : body,
    ),
  ],
  ['service_users.update', 'a change that ignores a flag', ignoreField('PATCH', '', 'active')],
  ['ai_gateway_provider_keys.get', 'keys that outlive their key', outlive('/ai_gateway_provider_keys/')],
  [
    'reserved_domains.get',
    'a detached policy that stays',
    {
      at: '',
      replace: ({ method, path }) =>
        method === 'DELETE' && path.endsWith(POLICY) ? { method: 'GET', path: path.replace(POLICY, '') } : undefined,
      alter: (response, { method, path }) => {
        if (method !== 'DELETE' || !path.endsWith(POLICY) || response.status >= 300) return
        Object.assign(response, { status: 204, body: undefined })
        delete response.headers['content-type']
      },
    },
  ],
  [
    'endpoints.update',
    'a policy that a change does not check',
    acceptIf('PATCH', 200, (_, body) => typeof body?.traffic_policy === 'string'),
  ],
  [
    'tunnel_group_backends.update',
    'a change that adds to a map',
    mergeBodies('PATCH', ({ labels: earlier = {} }, body) =>
      body.labels && typeof body.labels === 'object' && !Array.isArray(body.labels)
        ? { ...body, labels: { ...earlier, ...body.labels } }
        : body,
    ),
  ],
  [
    'ssh_credentials.list',
    'a next page after one that is just full',
    alterResponse('GET', '', ({ body }, { path }) => {
      const limit = Number(/limit=(\d+)/.exec(path)?.[1])
      const last = listItems(body).at(-1)
      if (last && listItems(body).length === limit && body.next_page_uri === null)
        body.next_page_uri = `${body.uri}?before_id=${last.id}&limit=${limit}`
    }),
  ],
  [
    'ip_restrictions.create',
    'references in the order of their ids',
    alterEach('', (item) => item.ip_policies?.sort?.((one: Json, other: Json) => (one.id < other.id ? -1 : 1))),
  ],
  [
    'ssh_credentials.create',
    'a key without its comment',
    alterText('public_key', (key) => key.split(' ').slice(0, 2).join(' ')),
  ],
]
