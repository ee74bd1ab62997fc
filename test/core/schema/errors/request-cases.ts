import { asWrongType, bodyCases, type ErrorCase } from './error-case.ts'

const ADDRESSES = '/reserved_addrs'
const JSON_TYPE = { 'content-type': 'application/json' }
const REGIONS = ['au', 'eu', 'ap', 'us', 'jp', 'in', 'sa']

/** Creates a stream that fails after its first chunk. */
function createBrokenStream(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"metadata": "'))
    },
    pull(controller) {
      controller.error(new Error('The connection was lost.'))
    },
  })
}

const creationCase = bodyCases('POST', ADDRESSES, ({ reservedAddrs }, body) => reservedAddrs.create(body))

/** Returns the case of a list with an invalid query. */
function listCase(key: ErrorCase['key'], field: string, value: string, ...texts: string[]): ErrorCase {
  return {
    key,
    send: () => ['GET', `${ADDRESSES}?${field}=${value}`],
    direct: (gateway) => gateway.reservedAddrs.list(asWrongType({ [field]: value })),
    texts: [field, ...texts],
    field,
  }
}

/** Returns the case of an invalid id. */
function idCase(key: ErrorCase['key'], id: string, ...texts: string[]): ErrorCase {
  return {
    key,
    send: () => ['GET', `${ADDRESSES}/${id}`],
    direct: (gateway) => gateway.reservedAddrs.get(id),
    texts: [id, ...texts],
    field: 'id',
  }
}

/** Errors that every operation has, and those of reserved addresses. */
export const requestCases: readonly ErrorCase[] = [
  {
    key: 'auth_missing',
    send: () => ['GET', ADDRESSES, { headers: { authorization: null } }],
    texts: ['Authorization', 'Bearer'],
  },
  {
    key: 'auth_unparsable',
    send: () => ['GET', ADDRESSES, { headers: { authorization: 'Basic c2VjcmV0' } }],
    texts: ['Bearer'],
    secrets: ['c2VjcmV0'],
  },
  {
    key: 'auth_invalid',
    options: { keys: ['right-key'] },
    send: () => ['GET', ADDRESSES, { headers: { authorization: 'Bearer wrong-key' } }],
    texts: ['key'],
    secrets: ['wrong-key', 'right-key'],
  },
  {
    key: 'content_type_unsupported',
    send: () => ['POST', ADDRESSES, { raw: '{}', headers: { 'content-type': 'text/csv' } }],
    texts: ['text/csv', 'application/json'],
  },
  {
    key: 'body_unexpected',
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: (id) => ['DELETE', `${ADDRESSES}/${id}`, { json: { force: true } }],
    texts: ['DELETE', '14'],
  },
  {
    key: 'body_unreadable',
    send: () => ['POST', ADDRESSES, { raw: createBrokenStream(), headers: JSON_TYPE }],
    texts: ['body'],
  },
  {
    key: 'body_unparsable',
    send: () => ['POST', ADDRESSES, { raw: '{"private_key_pem": "top secret"', headers: JSON_TYPE }],
    texts: ['JSON'],
    secrets: ['top secret', 'top'],
  },
  creationCase('field_unknown', { colour: 'red' }, 'colour', 'description', 'metadata', 'region'),
  creationCase('field_invalid', { description: 77 }, 'description', '77', 'string'),
  {
    key: 'content_type_missing',
    send: () => ['POST', ADDRESSES, { raw: new TextEncoder().encode('{}') as BufferSource }],
    texts: ['Content-Type', 'application/json'],
  },
  {
    key: 'version_unsupported',
    send: () => ['GET', ADDRESSES, { headers: { 'service-version': '3' } }],
    texts: ['Service-Version', '"3"', '2'],
  },
  {
    key: 'version_missing',
    send: () => ['GET', ADDRESSES, { headers: { 'service-version': null } }],
    texts: ['Service-Version', '2'],
  },
  idCase('id_unparsable', 'nonsense', 'ra_'),
  idCase('id_wrong_prefix', 'rd_1', 'ra'),
  listCase('query_unknown', 'colour', 'red', 'limit', 'before_id', 'filter'),
  {
    key: 'query_repeated',
    send: () => ['GET', `${ADDRESSES}?limit=1&limit=2`],
    texts: ['limit'],
    field: 'limit',
  },
  listCase('limit_out_of_range', 'limit', '101', '101', '1 to 100'),
  listCase('limit_not_a_number', 'limit', 'ten', 'ten', '1 to 100'),
  listCase('filter_invalid', 'filter', 'obj.id.reverse()', 'obj.id.reverse()', 'startsWith'),
  creationCase('address_region_invalid', { region: 'mars' }, 'region', 'mars', ...REGIONS),
  {
    ...creationCase('address_pool_exhausted', { region: 'jp' }, 'region', 'jp', '1'),
    options: { addressesPerRegion: 1 },
    setUp: (gateway) => gateway.reservedAddrs.create({ region: 'jp' }).id,
    texts: ['jp', '1'],
  },
  creationCase('address_metadata_too_long', { metadata: 'x'.repeat(4097) }, 'metadata', '4097', '4096'),
  {
    key: 'address_update_empty',
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: (id) => ['PATCH', `${ADDRESSES}/${id}`, { json: {} }],
    direct: (gateway, id) => gateway.reservedAddrs.update(id, {}),
    texts: ['description', 'metadata', 'endpoint_configuration_id'],
  },
  {
    key: 'not_found',
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: () => ['GET', `${ADDRESSES}/ra_gone`],
    direct: (gateway) => gateway.reservedAddrs.get('ra_gone'),
    texts: ['ra_gone'],
    details: { id: 'ra_gone' },
  },
  {
    key: 'path_not_found',
    send: () => ['GET', '/nowhere'],
    texts: ['GET', '/nowhere'],
  },
  {
    key: 'method_not_allowed',
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: (id) => ['PUT', `${ADDRESSES}/${id}`, { json: {} }],
    texts: ['PUT', 'GET', 'PATCH', 'DELETE'],
    headers: { allow: 'GET, HEAD, PATCH, DELETE' },
  },
  {
    key: 'endpoint_configuration_not_found',
    options: { references: 'declared' },
    setUp: (gateway) => gateway.reservedAddrs.create().id,
    send: (id) => ['PATCH', `${ADDRESSES}/${id}`, { json: { endpoint_configuration_id: 'ec_gone' } }],
    direct: (gateway, id) => gateway.reservedAddrs.update(id, { endpoint_configuration_id: 'ec_gone' }),
    texts: ['endpoint_configuration_id', 'ec_gone'],
    field: 'endpoint_configuration_id',
  },
  {
    key: 'body_too_large',
    send: () => ['POST', ADDRESSES, { raw: `{"metadata": "${'x'.repeat(1024 * 1024)}"}`, headers: JSON_TYPE }],
    texts: ['1048576'],
  },
]
