import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { endpointTarget } from './endpoint-records.ts'
import { newToken } from './owned-records.ts'
import { ACCOUNT_USER, descriptionAndMetadata, putIfChanged, refField, updatedAt, userField } from './shared.ts'

const display_name = kit.documented(v.string(), 'The beginning and the end of the key, such as `sk-abc***xyz`.')
const last_used = kit.documented(
  v.nullable(kit.time),
  'The time when the key was last used; always null, because fauxgate has no AI gateway.',
)
const created_by = userField('The user who created the key.')
const last_updated_by = userField('The user who last changed the key.')
const users = { created_by: { id: ACCOUNT_USER, uri: '' }, last_updated_by: { id: ACCOUNT_USER, uri: '' } }

/** Returns only the beginning and the end of a key. */
function redact(key: string): string {
  return key.length < 12 ? '***' : `${key.slice(0, 6)}***${key.slice(-3)}`
}

const keyRecord = v.object({
  ...kit.recordHead('aigk', descriptionAndMetadata()),
  updated_at: parts.instant,
  endpoint_id: v.nullable(kit.idOf('ep')),
  token: v.exactOptional(parts.made(v.pipe(v.string(), kit.secret))),
  display_name: parts.made(v.string()),
})

type KeyRecord = kit.Frozen<v.InferOutput<typeof keyRecord>>

const keys = kit.collection<KeyRecord>({ name: 'ai_gateway_api_keys', schema: keyRecord })

const PROVIDER = 'The AI provider that the key is for, such as `openai` or `anthropic`.'
const someText = v.pipe(v.string(), v.nonEmpty('a non-empty string'))
const provider_id = kit.documented(someText, PROVIDER)
const value = kit.documented(v.pipe(someText, kit.secretHere), 'The key. Never included in a response.')

const errors = kit.declareErrors({
  ai_endpoint_unknown: kit.field(27002, 404, 'the ID of an endpoint that exists'),
  ai_key_unknown: kit.field(27509, 400, 'the ID of an AI gateway API key that exists'),
})

const providers = parts.columns(
  {
    name: 'ai_gateway_provider_keys',
    prefix: 'aigpk',
    what: 'AI gateway provider key',
    tableFields: ['display_name', 'provider_id', 'last_used'],
    plural: 'AI gateway provider keys',
    filterable: [],
    matching: { ai_gateway_api_key_id: 'ai_gateway_api_key.id' },
    errors,
    texts: descriptionAndMetadata(),
    title: 'AiGatewayProviderKey',
    sentence: 'A key for an AI provider.',
    examples: [{ ai_gateway_api_key_id: 'aigk_1', provider_id: 'openai', value: 'a key for the provider' }],
  },
  {
    updated_at: updatedAt,
    ai_gateway_api_key_id: parts.column({
      create: kit.documented(someText, 'The ID of the API key that the provider key belongs to.'),
    }),
    key_id: parts.column({ kept: kit.idOf('aigk'), shown: false }),
    provider_id: parts.column({
      create: provider_id,
      kept: v.string(),
      shown: kit.documented(v.string(), PROVIDER),
    }),
    value: parts.column({ create: value }),
    created_by: parts.column({ shown: created_by }),
    last_updated_by: parts.column({ shown: last_updated_by }),
    ai_gateway_api_key: parts.column({ shown: refField('The API key that the provider key belongs to.') }),
    display_name: parts.column({ kept: v.string(), shown: display_name }),
    last_used: parts.column({ shown: last_used }),
  },
  { indexes: { key: ({ key_id }) => key_id } },
)

const providerKeys = providers.records

type Provider = (typeof providers)['kind']

const providerView: kit.View<kit.RecordOf<Provider>, kit.ResourceOf<Provider>> = (record, wire) => ({
  ...providers.rules.view(record, wire),
  ...users,
  ai_gateway_api_key: kit.refTo(wire, '/ai_gateway_api_keys', record.key_id),
  last_used: null,
})

interface SentProviderKey {
  readonly provider_id: string
  readonly value: string
  readonly description?: string | undefined
  readonly metadata?: string | undefined
}

function addProviderKey(tx: kit.Transaction, key_id: string, sent: SentProviderKey) {
  const given = { updated_at: tx.now, key_id, display_name: redact(sent.value) }
  return tx.put(providerKeys, providers.newRecord(tx, { ...sent, ai_gateway_api_key_id: key_id }, given))
}

const endpointOfKey = parts.referenceOf(keys, {
  field: 'endpoint_id',
  sent: 'endpoint_id',
  shown: 'endpoint',
  to: endpointTarget,
  missing: errors.ai_endpoint_unknown,
  deletion: 'dangles',
  rules: 'ngrok-families#ai-gateway-keys',
})

const keyOfProviderKey = parts.referenceOf(providerKeys, {
  field: 'key_id',
  sent: 'ai_gateway_api_key_id',
  shown: 'ai_gateway_api_key',
  to: parts.targetOf('an AI gateway API key', keys),
  index: 'key',
  missing: errors.ai_key_unknown,
  deletion: 'cascades',
  rules: 'ngrok-families#ai-gateway-keys',
})

const shape = kit.named(
  v.object({
    ...kit.resourceHead,
    updated_at: updatedAt.shown,
    created_by,
    last_updated_by,
    endpoint: v.exactOptional(refField('The endpoint that the key is for. Absent if there is none.')),
    token: kit.documented(
      v.nullable(v.pipe(v.string(), kit.secret)),
      'The key; null except in the response to its creation.',
    ),
    display_name,
    last_used,
    provider_keys: kit.documented(v.array(providers.kind.shape), 'The provider keys that belong to the key.'),
  }),
  'AiGatewayApiKey',
  'A key for requests to an AI gateway.',
)

const endpointId = v.optional(kit.documented(v.string(), 'The ID of the endpoint that the key is for.'))

const sentProviderKey = v.object({
  ...descriptionAndMetadata(),
  provider_id,
  name: v.optional(kit.documented(v.string(), 'A name. Never included in a response.')),
  value,
})

/** The API keys of AI gateways, with their provider keys. */
export const aiGatewayApiKeys = kit.resource(
  {
    name: 'ai_gateway_api_keys',
    prefix: 'aigk',
    what: 'AI gateway API key',
    tableFields: ['display_name', 'endpoint', 'last_used'],
    plural: 'AI gateway API keys',
    collection: keys,
    errors,
    filterable: [],
    shape,
    ...parts.defineBodies('AiGatewayApiKey', 'an AI gateway API key', {
      create: {
        ...descriptionAndMetadata(),
        endpoint_id: endpointId,
        provider_keys: v.optional(kit.documented(v.array(sentProviderKey), 'The provider keys.'), []),
      },
      update: { ...descriptionAndMetadata(), endpoint_id: endpointId },
      examples: [{ description: 'the chat' }, { description: 'the chat' }],
    }),
  },
  {
    view: (key, wire) => ({
      ...kit.viewHead(key, wire, '/ai_gateway_api_keys'),
      updated_at: kit.timestamp(key.updated_at),
      ...users,
      ...(key.endpoint_id !== null && { endpoint: kit.refTo(wire, '/endpoints', key.endpoint_id) }),
      token: null,
      display_name: key.display_name,
      last_used: null,
      provider_keys: [],
    }),
    related: (tx, { id }) => ({
      provider_keys: tx.findAll(providerKeys, 'key', id).map((each) => tx.show(providerView, each)),
    }),
    create: {
      errors: [errors.ai_endpoint_unknown],
      run(tx, { endpoint_id, provider_keys, ...rest }) {
        if (endpoint_id) parts.requireTargets(tx, endpointOfKey, endpoint_id)
        const head = { ...kit.newHead(tx, 'aigk', rest), updated_at: tx.now, endpoint_id: endpoint_id || null }
        const token = newToken(tx, head.id)
        for (const sent of provider_keys) addProviderKey(tx, head.id, sent)
        return tx.put(keys, { ...head, token, display_name: redact(token) })
      },
      once: ({ token = null }) => ({ token }),
    },
    update: {
      errors: [errors.ai_endpoint_unknown],
      run(tx, before, { endpoint_id, ...rest }) {
        if (endpoint_id) parts.requireTargets(tx, endpointOfKey, endpoint_id, before)
        const after = { ...before, ...kit.described(rest, before) }
        return putIfChanged(tx, keys, before, endpoint_id ? { ...after, endpoint_id } : after)
      },
    },
    references: [endpointOfKey],
  },
)

/** The API keys of AI providers. */
export const aiGatewayProviderKeys = kit.resource(providers.kind, {
  view: providerView,
  create: {
    errors: [errors.ai_key_unknown],
    run(tx, { ai_gateway_api_key_id: id, ...sent }) {
      parts.requireTargets(tx, keyOfProviderKey, id)
      return addProviderKey(tx, id, sent)
    },
  },
  update: {
    run: (tx, before, body) => putIfChanged(tx, providerKeys, before, providers.changed(before, body)),
  },
  references: [keyOfProviderKey],
})
