import { timeAfter } from '../support/provisioning.ts'
import {
  alterByHistory,
  alterEach,
  alterIfStatus,
  alterLists,
  alterResponse,
  alterText,
  type Divergence,
  ignoreField,
  ignoreParameter,
  isList,
  isOne,
  keepBackends,
  listItems,
  omit,
  outlive,
  renameAgain,
  replaceRequest,
  setFields,
  uniqueEverywhere,
} from './divergence.ts'

type Divergences = Readonly<Record<string, Readonly<Record<string, Divergence>>>>

/** Divergences of fields, references and deletions, by the operation whose responses differ. */
export const OF_FIELDS: Divergences = {
  'endpoints.update': { 'a change that ignores a field': ignoreField('PATCH', 'body.url', 'url') },
  'ssh_host_certificates.create': {
    'a creation that ignores a time': ignoreField('POST', 'body.valid_until', 'valid_until'),
  },
  'event_subscriptions.create': {
    'a creation that ignores references': ignoreField('POST', 'body.destinations', 'destination_ids'),
  },
  'vault_secrets.create': {
    'names of secrets that are unique across vaults': uniqueEverywhere('value'),
  },
  'api_keys.get': { 'keys that outlive their user': outlive('/api_keys/') },
  'ip_policy_rules.get': { 'rules that outlive their policy': outlive('/ip_policy_rules/') },
  'event_destinations.delete': {
    'a destination that is deleted while a subscription uses it': {
      family: 'event_subscriptions',
      ...alterResponse('DELETE', 'status', (response) => {
        if (response.status === 400) Object.assign(response, { status: 204, body: undefined })
      }),
    },
  },
  'ip_policy_rules.create': {
    'a CIDR that keeps its capitals': alterResponse('POST', 'body.cidr', ({ status, body }, request) => {
      if (status === 201 && /[A-F]/.test(request.body.cidr ?? '')) body.cidr = request.body.cidr
    }),
  },
  'ip_policies.create': {
    'an empty description that is rejected': alterResponse('POST', 'status', (response, { body }) => {
      if (body?.description === '') response.status = 400
    }),
  },
}

/** The divergences, by the operation whose responses differ. */
export const DIVERGENCES: Divergences = {
  'ip_policies.create': {
    'ids in lower case, of which nothing can be deleted': setFields('body.uri', (item) => ({
      id: item.id.toLowerCase(),
    })),
    'a time of creation that is years ago': alterText('created_at', () => '2010-01-01T00:00:00Z'),
    'the same operation id in each response': {
      at: 'header ngrok-operation-id',
      alter: ({ headers }) => Object.assign(headers, { 'ngrok-operation-id': 'op_2AbCdEfGhIjKlMnOpQrStUvWxYz' }),
    },
    'texts without the spaces around them': alterText('description', (text) => text.trim()),
    'characters of four bytes that are lost': alterText('description', (text) =>
      text.replaceAll(/[^\0-\uffff]/gu, '?'),
    ),
    'a creation that answers 200': alterIfStatus('status', 201, (response) => Object.assign(response, { status: 200 })),
    'a creation without an id': alterIfStatus('body.id', 201, ({ body }) => delete body.id),
    'a time in seconds': alterText('created_at', (time) => Date.parse(time) / 1000),
    'a time without a zone': alterText('created_at', (time) => time.replace('Z', '')),
    'a time with milliseconds': alterText('created_at', (time) => time.replace('Z', '.123Z')),
    'ids that are shorter': alterIfStatus('body.id', 201, ({ body }) =>
      Object.assign(body, { id: body.id.slice(0, -2) }),
    ),
    'a uri that leads elsewhere': alterText('uri', (uri) => uri.replace('/ip_policies/', '/v2/ip_policies/')),
    'a uri on another host': alterText('uri', (uri) => uri.replace('api.', 'api2.')),
    'unknown fields that are ignored': replaceRequest('POST', 'status', ({ body }) =>
      body?.fauxgate_verify ? { body: { ...body, fauxgate_verify: undefined } } : undefined,
    ),
    'a text that is too long and cut': replaceRequest('POST', 'status', ({ body }) =>
      body?.description?.length > 255 ? { body: { ...body, description: body.description.slice(0, 255) } } : undefined,
    ),
  },
  'api_keys.create': {
    'the same token for each key': alterText('token', (token) => token.replaceAll(/[0-9A-Za-z]/g, 'a')),
  },
  'ip_policies.get': {
    'texts in ASCII alone': alterText('description', (text) => text.replaceAll(/[^ -~]/g, '?')),
    'a byte order mark': alterResponse('GET', 'body', (response) => Object.assign(response, { prefix: '\ufeff' })),
    'a 404 that is a 400': alterIfStatus('status', 404, (response) => Object.assign(response, { status: 400 })),
    'an error without a code': alterIfStatus('body.error_code', 404, ({ body }) => delete body.error_code),
    'an error whose status_code is a text': alterIfStatus('body.status_code', 404, ({ body }) =>
      Object.assign(body, { status_code: '404' }),
    ),
    'an error without a message': alterIfStatus('body.msg', 404, ({ body }) => Object.assign(body, { msg: '' })),
    'an error without the id of the operation': alterIfStatus('body.details.operation_id', 404, ({ body }) =>
      Object.assign(body, { details: {} }),
    ),
    'null instead of an absent field': setFields('body.metadata', (item) => ({ metadata: item.metadata ?? null })),
    'a change that changes nothing': replaceRequest('PATCH', 'body.description', () => ({
      method: 'GET',
      body: undefined,
    })),
    'a resource that still exists after its deletion': replaceRequest('DELETE', 'status', () => ({ method: 'GET' })),
  },
  'vaults.update': {
    // The clock of the gateway does not move. The second vault shows a later time, as on a real server.
    'a time of change that stays that of the creation': alterEach('body.updated_at', (item) => {
      if (item.name === 'fauxgate-verify-test-b') item.created_at = timeAfter('5s')
    }),
  },
  'ssh_certificate_authorities.create': {
    'a key of another algorithm': setFields('body.public_key', () => ({ public_key: 'ssh-rsa AAAA' })),
    'a key without its type': setFields('body.key_type', () => ({ key_type: undefined })),
  },
  'ip_policy_rules.list': {
    'a filter by startsWith that is ignored': replaceRequest('GET', 'body.ip_policy_rules', ({ path }) =>
      path.includes('startsWith') ? { path: omit(path, 'filter') } : undefined,
    ),
    'a missing field in lists alone': alterLists('body.ip_policy_rules[0].cidr', (items) => {
      for (const item of items) delete item.cidr
    }),
    'a list that ignores the filter': ignoreParameter('body.ip_policy_rules', 'filter'),
  },
  'ip_policies.list': {
    'a greatest limit of 50': replaceRequest('GET', 'status', ({ path }) =>
      path.includes('limit=100') ? { path: path.replace('=100', '=101') } : undefined,
    ),
    'a cursor that must still exist': alterByHistory('status', (history, response, { method, path }) => {
      if (method === 'DELETE' && response.status === 204) history.push(path.split('/').at(-1))
      if (history.some((id) => path.includes(`before_id=${id}`))) response.status = 404
    }),
    'a further field': setFields('body.ip_policies[0].rules', () => ({ rules: [] })),
    'ids of another prefix': alterLists('body.ip_policies', (items) => {
      for (const item of items) item.id = item.id.replace('ipp_', 'ippol_')
    }),
    'lists that are oldest first': alterLists('body.ip_policies', (items) => items.reverse()),
    'lists under another key': alterLists('body.ip_policies', (items, body) => {
      delete body.ip_policies
      Object.assign(body, { items })
    }),
    'a list with a resource twice': alterLists('body.ip_policies', (items) => items.push(...items.slice(0, 1))),
    'a list without the last resource': alterLists('body.ip_policies', (items) => items.pop()),
    'a list that still has what was deleted': alterByHistory('body.ip_policies', (deleted, response, request) => {
      if (isOne(request) && response.status === 200) deleted.push(response.body)
      if (isList(request) && listItems(response.body).length === 1) listItems(response.body).unshift(deleted.at(-1))
    }),
    'a next page that is the same page': alterResponse('GET', 'body.next_page_uri', (response) => {
      if (response.body?.next_page_uri) response.body.next_page_uri = `${response.body.uri}?limit=1`
    }),
    'a cursor that is the first resource of the next page': alterByHistory(
      'body.next_page_uri',
      (history, response, request) => {
        if (request.method === 'POST' && response.status === 201) history.push(response.body.id)
        if (response.body?.next_page_uri)
          response.body.next_page_uri = `${response.body.uri}?before_id=${history[0]}&limit=1`
      },
    ),
    'a next page after the last one': alterResponse('GET', 'body.next_page_uri', (response, request) => {
      const last = listItems(response.body).at(-1)
      // The inventory is unchanged, because it would never end.
      if (isList(request) && last && !request.path.endsWith('limit=100'))
        response.body.next_page_uri = `${response.body.uri}?before_id=${last.id}`
    }),
    'no next page': alterLists('body.next_page_uri', (_, body) => Object.assign(body, { next_page_uri: null })),
    'a list that ignores the limit': ignoreParameter('body.ip_policies', 'limit'),
    'a list that ignores the cursor': ignoreParameter('body.ip_policies', 'before_id'),
    'a list that takes unknown parameters': ignoreParameter('status', 'fauxgate_verify'),
    'a request without a version that is answered': alterResponse('GET', 'status', (response, request) => {
      if (isList(request) && /version/i.test(response.body?.msg ?? ''))
        Object.assign(response, { status: 200, body: { ip_policies: [] } })
    }),
    'another content type': alterResponse('GET', 'header content-type', ({ headers }) =>
      Object.assign(headers, { 'content-type': 'text/json' }),
    ),
  },
  'ip_policies.update': {
    'a longer text than is allowed': replaceRequest('PATCH', 'status', ({ body }) =>
      /^x+é$/.test(body?.description) ? { body: { description: 'x' } } : undefined,
    ),
    'a shorter limit of texts': replaceRequest('PATCH', 'status', ({ body }) =>
      /^x{255}$/.test(body?.description) ? { body: { description: 5 } } : undefined,
    ),
    'empty texts that change nothing': replaceRequest('PATCH', 'body.description', ({ body }) =>
      body?.description === '' ? { body: { metadata: '' } } : undefined,
    ),
    'the size of a text in characters, and not in bytes': replaceRequest('PATCH', 'status', ({ body }) =>
      body?.description?.length === 255 && /é$/.test(body.description) ? { body: { description: 'x' } } : undefined,
    ),
    'spaces that a change cuts': replaceRequest('PATCH', 'body.description', ({ body }) =>
      typeof body?.description === 'string' ? { body: { ...body, description: body.description.trim() } } : undefined,
    ),
    'field names in any case': replaceRequest('PATCH', 'status', ({ body }) => ({
      body: Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value])),
    })),
    'a change of any content type': alterResponse('PATCH', 'status', (response, { type }) => {
      if (type === 'text/plain') response.status = 200
    }),
    'a created_at that moves with each change': alterResponse('PATCH', 'body.created_at', ({ status, body }) => {
      if (status === 200) body.created_at = timeAfter('31d')
    }),
    'an empty change that is fine': replaceRequest('PATCH', 'status', ({ body }) =>
      Object.keys(body).length === 0 ? { method: 'GET', body: undefined } : undefined,
    ),
  },
  'reserved_domains.create': {
    'capital letters in the name of a domain': replaceRequest('POST', 'status', ({ body }) =>
      /[A-Z]/.test(body?.domain ?? '') ? { body: { ...body, domain: 'no domain' } } : undefined,
    ),
    'a domain that is managed by nobody': alterEach(
      'body.certificate_management_policy',
      (item) => item.domain && Object.assign(item, { certificate_management_policy: null }),
    ),
    'a target below another domain': alterText('cname_target', () => 'abc.other.example'),
  },
  'ip_policy_rules.update': {
    'a field of creations that changes take': replaceRequest('PATCH', 'status', ({ body }) =>
      body?.ip_policy_id ? { body: { description: 'x' } } : undefined,
    ),
    'a change that empties what it does not name': alterResponse('PATCH', 'body.description', (response, { body }) => {
      if (response.status === 200 && body?.description) response.body.description = ''
    }),
  },
  'weighted_backends.update': { 'backends that a change without them keeps': keepBackends() },
  'vaults.list': {
    'filters in any case': replaceRequest('GET', 'body.vaults', ({ path }) =>
      path.includes('filter=') ? { path: path.replaceAll('Fauxgate', 'fauxgate') } : undefined,
    ),
    'a filter by != that is one by ==': replaceRequest('GET', 'body.vaults', ({ path }) =>
      path.includes('!%3D') ? { path: path.replace('!%3D', '%3D%3D') } : undefined,
    ),
    'a filter of the first page alone': alterResponse('GET', 'body.next_page_uri', (response) => {
      if (response.body?.next_page_uri) response.body.next_page_uri = omit(response.body.next_page_uri, 'filter')
    }),
    'a page that is cut before its filter': alterResponse('GET', 'body.vaults', (response, { path }) => {
      if (path.includes('limit=1&filter=') && listItems(response.body)[0]?.name.endsWith('-c'))
        listItems(response.body).pop()
    }),
  },
  'ip_policies.delete': {
    'a policy that cannot be deleted with its rules': {
      family: 'ip_policy_rules',
      ...replaceRequest('DELETE', 'status', ({ path }) =>
        path.startsWith('/ip_policies/') ? { method: 'GET' } : undefined,
      ),
    },
    'a deletion that answers 200 with an object': alterIfStatus('status', 204, (response) =>
      Object.assign(response, { status: 200, body: {} }),
    ),
    'a deletion that can be done twice': alterResponse('DELETE', 'status', (response) => {
      if (response.status === 404) Object.assign(response, { status: 204, body: undefined })
    }),
    'no id of the operation': alterResponse(
      'DELETE',
      'header ngrok-operation-id',
      ({ headers }) => delete headers['ngrok-operation-id'],
    ),
  },
  'ip_policy_rules.create': {
    'an error that is a 422': alterResponse('POST', 'status', (response) => {
      if (response.status === 400) response.status = 422
    }),
    'another code of an error': alterIfStatus('body.error_code', 400, ({ body }) => {
      if (body.error_code === 'ERR_NGROK_1409') body.error_code = 'ERR_NGROK_1406'
    }),
    'an object that is its id': alterEach(
      'body.ip_policy',
      (item) => item.ip_policy && Object.assign(item, { ip_policy: item.ip_policy.id }),
    ),
    'a missing field that gets a default': replaceRequest('POST', 'status', ({ body }) =>
      body?.cidr && !body.action ? { body: { ...body, action: 'allow' } } : undefined,
    ),
  },
  'ip_policy_rules.get': {
    'a missing field': alterIfStatus('body.action', 200, ({ body }, request) => isOne(request) && delete body.action),
    'the id of another resource': alterEach(
      'body.ip_policy',
      (item) =>
        item.ip_policy &&
        Object.assign(item, { ip_policy: { id: item.id.replace('ipr', 'ipp'), uri: item.ip_policy.uri } }),
    ),
  },
  'weighted_backends.create': {
    'a number that is a text': alterEach('body.backends.', (item) => {
      for (const id of Object.keys(item.backends ?? {})) item.backends[id] = String(item.backends[id])
    }),
  },
  'endpoints.get': {
    'a boolean that is a text': alterEach('body.pooling_enabled', (item) => {
      item.pooling_enabled = String(item.pooling_enabled)
    }),
  },
  'credentials.create': {
    'a list that is null': alterEach(
      'body.acl',
      (item) => item.acl?.length === 0 && Object.assign(item, { acl: null }),
    ),
    'a token of another form': alterText('token', () => 'short_token'),
  },
  'credentials.get': {
    'an absent field instead of null': alterEach('body.token', (item) => item.token === null && delete item.token),
  },
  'api_keys.get': { 'a token in each response': setFields('body.token', () => ({ token: 'a-token' })) },
  'vault_secrets.get': {
    'a value of a secret in the response': alterEach(
      'body.value',
      (item) => item.vault && Object.assign(item, { value: 'not a secret' }),
    ),
  },
  'vaults.create': {
    'a name that may be taken twice': renameAgain('fauxgate-verify-test-a'),
    'a name that is changed on its way': alterText('name', (name) => name.toUpperCase()),
  },
  'credentials.update': { 'an order of a list of texts': alterEach('body.acl', (item) => item.acl?.reverse()) },
  'endpoints.create': {
    'a policy that gets a line break': alterText('traffic_policy', (text) => `${text}\n`),
  },
  'tls_certificates.create': { 'a certificate whose serial number is another': alterText('serial_number', () => '00') },
  'tls_certificates.get': {
    'a certificate that is valid longer': alterText('not_after', () => '2099-01-01T00:00:00Z'),
  },
}
