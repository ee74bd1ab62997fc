import { bodiesOf, type ErrorCase, wrong } from './error-case.ts'

const ADDRESSES = '/reserved_addrs'
const JSON_TYPE = { 'content-type': 'application/json' }
const REGIONS = ['au', 'eu', 'ap', 'us', 'jp', 'in', 'sa']

/** A stream that breaks off. */
function broken(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"metadata": "'))
    },
    pull(controller) {
      controller.error(new Error('The connection was lost.'))
    },
  })
}

const ofCreation = bodiesOf('POST', ADDRESSES, ({ reservedAddrs }, body) => reservedAddrs.create(body))

/** The error of a list that cannot be asked for. */
function ofList(key: ErrorCase['key'], field: string, value: string, ...says: string[]): ErrorCase {
  return {
    key,
    send: () => ['GET', `${ADDRESSES}?${field}=${value}`],
    direct: (gateway) => gateway.reservedAddrs.list(wrong({ [field]: value })),
    says: [field, ...says],
    field,
  }
}

/** The error of an id that cannot be. */
function ofId(key: ErrorCase['key'], id: string, ...says: string[]): ErrorCase {
  return {
    key,
    send: () => ['GET', `${ADDRESSES}/${id}`],
    direct: (gateway) => gateway.reservedAddrs.get(id),
    says: [id, ...says],
    field: 'id',
  }
}

/** Errors that every operation has, and those of reserved addresses. */
export const requestCases: readonly ErrorCase[] = [
  {
    key: 'auth_missing',
    send: () => ['GET', ADDRESSES, { headers: { authorization: null } }],
    says: ['Authorization', 'Bearer'],
  },
  {
    key: 'auth_unparsable',
    send: () => ['GET', ADDRESSES, { headers: { authorization: 'Basic c2VjcmV0' } }],
    says: ['Bearer'],
    hides: ['c2VjcmV0'],
  },
  {
    key: 'auth_invalid',
    options: { keys: ['right-key'] },
    send: () => ['GET', ADDRESSES, { headers: { authorization: 'Bearer wrong-key' } }],
    says: ['key'],
    hides: ['wrong-key', 'right-key'],
  },
  {
    key: 'content_type_unsupported',
    send: () => ['POST', ADDRESSES, { raw: '{}', headers: { 'content-type': 'text/csv' } }],
    says: ['text/csv', 'application/json'],
  },
  {
    key: 'body_unexpected',
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: (id) => ['DELETE', `${ADDRESSES}/${id}`, { json: { force: true } }],
    says: ['DELETE', '14'],
  },
  {
    key: 'body_unreadable',
    send: () => ['POST', ADDRESSES, { raw: broken(), headers: JSON_TYPE }],
    says: ['body'],
  },
  {
    key: 'body_unparsable',
    send: () => ['POST', ADDRESSES, { raw: '{"private_key_pem": "top secret"', headers: JSON_TYPE }],
    says: ['JSON'],
    hides: ['top secret', 'top'],
  },
  ofCreation('field_unknown', { colour: 'red' }, 'colour', 'description', 'metadata', 'region'),
  ofCreation('field_invalid', { description: 77 }, 'description', '77', 'string'),
  {
    key: 'content_type_missing',
    send: () => ['POST', ADDRESSES, { raw: new TextEncoder().encode('{}') as BufferSource }],
    says: ['Content-Type', 'application/json'],
  },
  {
    key: 'version_unsupported',
    send: () => ['GET', ADDRESSES, { headers: { 'service-version': '3' } }],
    says: ['Service-Version', '"3"', '2'],
  },
  {
    key: 'version_missing',
    send: () => ['GET', ADDRESSES, { headers: { 'service-version': null } }],
    says: ['Service-Version', '2'],
  },
  ofId('id_unparsable', 'nonsense', 'ra_'),
  ofId('id_wrong_prefix', 'rd_1', 'ra'),
  ofList('query_unknown', 'colour', 'red', 'limit', 'before_id', 'filter'),
  {
    key: 'query_repeated',
    send: () => ['GET', `${ADDRESSES}?limit=1&limit=2`],
    says: ['limit'],
    field: 'limit',
  },
  ofList('limit_out_of_range', 'limit', '101', '101', '1 to 100'),
  ofList('limit_not_a_number', 'limit', 'ten', 'ten', '1 to 100'),
  ofList('filter_invalid', 'filter', 'obj.id.reverse()', 'obj.id.reverse()', 'startsWith'),
  ofCreation('address_region_invalid', { region: 'mars' }, 'region', 'mars', ...REGIONS),
  {
    ...ofCreation('address_pool_exhausted', { region: 'jp' }, 'region', 'jp', '1'),
    options: { addressesPerRegion: 1 },
    setUp: (gateway) => gateway.reservedAddrs.create({ region: 'jp' }).id,
    says: ['jp', '1'],
  },
  ofCreation('address_metadata_too_long', { metadata: 'x'.repeat(4097) }, 'metadata', '4097', '4096'),
  {
    key: 'address_update_empty',
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: (id) => ['PATCH', `${ADDRESSES}/${id}`, { json: {} }],
    direct: (gateway, id) => gateway.reservedAddrs.update(id, {}),
    says: ['description', 'metadata', 'endpoint_configuration_id'],
  },
  {
    key: 'not_found',
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: () => ['GET', `${ADDRESSES}/ra_gone`],
    direct: (gateway) => gateway.reservedAddrs.get('ra_gone'),
    says: ['ra_gone'],
    facts: { id: 'ra_gone' },
  },
  {
    key: 'path_not_found',
    send: () => ['GET', '/nowhere'],
    says: ['GET', '/nowhere'],
  },
  {
    key: 'method_not_allowed',
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: (id) => ['PUT', `${ADDRESSES}/${id}`, { json: {} }],
    says: ['PUT', 'GET', 'PATCH', 'DELETE'],
    headers: { allow: 'GET, HEAD, PATCH, DELETE' },
  },
  {
    key: 'endpoint_configuration_not_found',
    options: { references: 'declared' },
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: (id) => ['PATCH', `${ADDRESSES}/${id}`, { json: { endpoint_configuration_id: 'ec_gone' } }],
    direct: (gateway, id) => gateway.reservedAddrs.update(id, { endpoint_configuration_id: 'ec_gone' }),
    says: ['endpoint_configuration_id', 'ec_gone'],
    field: 'endpoint_configuration_id',
  },
  {
    key: 'body_too_large',
    send: () => ['POST', ADDRESSES, { raw: `{"metadata": "${'x'.repeat(1024 * 1024)}"}`, headers: JSON_TYPE }],
    says: ['1048576'],
  },
]
