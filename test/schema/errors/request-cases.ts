import { type ErrorCase, wrong } from './error-case.ts'

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
  {
    key: 'field_unknown',
    send: () => ['POST', ADDRESSES, { json: { colour: 'red' } }],
    direct: (gateway) => gateway.reservedAddrs.create(wrong({ colour: 'red' })),
    says: ['colour', 'description', 'metadata', 'region'],
    field: 'colour',
  },
  {
    key: 'field_invalid',
    send: () => ['POST', ADDRESSES, { json: { description: 77 } }],
    direct: (gateway) => gateway.reservedAddrs.create(wrong({ description: 77 })),
    says: ['description', '77', 'string'],
    field: 'description',
  },
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
  {
    key: 'id_unparsable',
    send: () => ['GET', `${ADDRESSES}/nonsense`],
    direct: (gateway) => gateway.reservedAddrs.get('nonsense'),
    says: ['nonsense', 'ra_'],
    field: 'id',
  },
  {
    key: 'id_wrong_prefix',
    send: () => ['GET', `${ADDRESSES}/rd_1`],
    direct: (gateway) => gateway.reservedAddrs.get('rd_1'),
    says: ['rd_1', 'ra'],
    field: 'id',
  },
  {
    key: 'query_unknown',
    send: () => ['GET', `${ADDRESSES}?colour=red`],
    direct: (gateway) => gateway.reservedAddrs.list(wrong({ colour: 'red' })),
    says: ['colour', 'limit', 'before_id', 'filter'],
    field: 'colour',
  },
  {
    key: 'query_repeated',
    send: () => ['GET', `${ADDRESSES}?limit=1&limit=2`],
    says: ['limit'],
    field: 'limit',
  },
  {
    key: 'limit_out_of_range',
    send: () => ['GET', `${ADDRESSES}?limit=101`],
    direct: (gateway) => gateway.reservedAddrs.list({ limit: 101 }),
    says: ['limit', '101', '1 to 100'],
    field: 'limit',
  },
  {
    key: 'limit_not_a_number',
    send: () => ['GET', `${ADDRESSES}?limit=ten`],
    direct: (gateway) => gateway.reservedAddrs.list({ limit: 'ten' }),
    says: ['limit', 'ten', '1 to 100'],
    field: 'limit',
  },
  {
    key: 'filter_invalid',
    send: () => ['GET', `${ADDRESSES}?filter=obj.id.reverse()`],
    direct: (gateway) => gateway.reservedAddrs.list({ filter: 'obj.id.reverse()' }),
    says: ['filter', 'obj.id.reverse()', 'startsWith'],
    field: 'filter',
  },
  {
    key: 'address_region_invalid',
    send: () => ['POST', ADDRESSES, { json: { region: 'mars' } }],
    direct: (gateway) => gateway.reservedAddrs.create(wrong({ region: 'mars' })),
    says: ['region', 'mars', ...REGIONS],
    field: 'region',
  },
  {
    key: 'address_pool_exhausted',
    options: { addressesPerRegion: 1 },
    setUp: (gateway) => gateway.reservedAddrs.create({ region: 'jp' }).id,
    send: () => ['POST', ADDRESSES, { json: { region: 'jp' } }],
    direct: (gateway) => gateway.reservedAddrs.create({ region: 'jp' }),
    says: ['jp', '1'],
    field: 'region',
  },
  {
    key: 'address_metadata_too_long',
    send: () => ['POST', ADDRESSES, { json: { metadata: 'x'.repeat(4097) } }],
    direct: (gateway) => gateway.reservedAddrs.create({ metadata: 'x'.repeat(4097) }),
    says: ['metadata', '4097', '4096'],
    field: 'metadata',
  },
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
