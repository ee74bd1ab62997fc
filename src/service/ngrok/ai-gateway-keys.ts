import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { endpointTarget } from './endpoint-records.ts'
import { newToken } from './owned-records.ts'
import { ACCOUNT_USER, descriptionAndMetadata, putIfChanged, refField, userField } from './shared.ts'

const updated_at = kit.documented(kit.time, 'The time of the last change.')
const display_name = kit.documented(v.string(), 'The beginning and the end of the key, such as `sk-abc***xyz`.')
const last_used = kit.documented(
  v.nullable(kit.time),
  'The time of the last use: null, because fauxgate has no AI gateway.',
)
const created_by = userField('The user who created it.')
const last_updated_by = userField('The user who changed it last.')
const users = { created_by: { id: ACCOUNT_USER, uri: '' }, last_updated_by: { id: ACCOUNT_USER, uri: '' } }

/** Returns a key with only its beginning and its end. */
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

const providerRecord = v.object({
  ...kit.recordHead('aigpk', descriptionAndMetadata()),
  updated_at: parts.instant,
  key_id: kit.idOf('aigk'),
  provider_id: v.string(),
  display_name: v.string(),
})

type ProviderRecord = kit.Frozen<v.InferOutput<typeof providerRecord>>

/** The keys of providers, indexed by the API key that they belong to. */
const providerKeys = kit.collection<ProviderRecord>({
  name: 'ai_gateway_provider_keys',
  schema: providerRecord,
  indexes: { key: ({ key_id }) => key_id },
})

const PROVIDER = 'The AI provider of the key, such as `openai` or `anthropic`.'
const someText = v.pipe(v.string(), v.nonEmpty('a non-empty string'))
const provider_id = kit.documented(someText, PROVIDER)
const value = kit.documented(v.pipe(someText, kit.secretHere), 'The key. No response has it.')

const providerShape = kit.named(
  v.object({
    ...kit.resourceHead,
    updated_at,
    provider_id: kit.documented(v.string(), PROVIDER),
    created_by,
    last_updated_by,
    ai_gateway_api_key: refField('The API key that the key belongs to.'),
    display_name,
    last_used,
  }),
  'AiGatewayProviderKey',
  'The key of an AI provider.',
)

const providerView: kit.View<ProviderRecord, kit.Frozen<v.InferOutput<typeof providerShape>>> = (record, wire) => ({
  ...kit.viewHead(record, wire, '/ai_gateway_provider_keys'),
  updated_at: kit.timestamp(record.updated_at),
  provider_id: record.provider_id,
  ...users,
  ai_gateway_api_key: kit.refTo(wire, '/ai_gateway_api_keys', record.key_id),
  display_name: record.display_name,
  last_used: null,
})

interface SentProviderKey {
  readonly provider_id: string
  readonly value: string
  readonly description?: string | undefined
  readonly metadata?: string | undefined
}

function addProviderKey(tx: kit.Transaction, key_id: string, { provider_id, value, ...rest }: SentProviderKey) {
  const head = { ...kit.newHead(tx, 'aigpk', rest), updated_at: tx.now }
  return tx.put(providerKeys, { ...head, key_id, provider_id, display_name: redact(value) })
}

const errors = kit.declareErrors({
  ai_endpoint_unknown: kit.field(27002, 404, 'the id of an endpoint that exists'),
  ai_key_unknown: kit.field(27509, 400, 'the id of an API key of the AI gateway that exists'),
})

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
  to: parts.targetOf('an API key of the AI gateway', keys),
  index: 'key',
  missing: errors.ai_key_unknown,
  deletion: 'cascades',
  rules: 'ngrok-families#ai-gateway-keys',
})

const shape = kit.named(
  v.object({
    ...kit.resourceHead,
    updated_at,
    created_by,
    last_updated_by,
    endpoint: v.exactOptional(refField('The endpoint that the key is for. Absent if there is none.')),
    token: kit.documented(v.nullable(v.pipe(v.string(), kit.secret)), 'The key; null in all responses but the first.'),
    display_name,
    last_used,
    provider_keys: kit.documented(v.array(providerShape), 'The keys of providers that belong to it.'),
  }),
  'AiGatewayApiKey',
  'A key for requests to an AI gateway.',
)

const endpointId = v.optional(kit.documented(v.string(), 'The id of the endpoint that the key is for.'))

const sentProviderKey = v.object({
  ...descriptionAndMetadata(),
  provider_id,
  name: v.optional(kit.documented(v.string(), 'A name, which no response has.')),
  value,
})

/** The API keys of AI gateways, with the keys of providers that belong to them. */
export const aiGatewayApiKeys = kit.resource(
  {
    name: 'ai_gateway_api_keys',
    prefix: 'aigk',
    what: 'API key of the AI gateway',
    plural: 'API keys of the AI gateway',
    collection: keys,
    errors,
    filterable: [],
    shape,
    ...parts.defineBodies('AiGatewayApiKey', 'an API key of the AI gateway', {
      create: {
        ...descriptionAndMetadata(),
        endpoint_id: endpointId,
        provider_keys: v.optional(kit.documented(v.array(sentProviderKey), 'The keys of providers.'), []),
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

/** The keys of AI providers. */
export const aiGatewayProviderKeys = kit.resource(
  {
    name: 'ai_gateway_provider_keys',
    prefix: 'aigpk',
    what: 'provider key of the AI gateway',
    plural: 'provider keys of the AI gateway',
    collection: providerKeys,
    errors,
    filterable: [],
    matching: { ai_gateway_api_key_id: 'ai_gateway_api_key.id' },
    shape: providerShape,
    ...parts.defineBodies('AiGatewayProviderKey', 'a provider key of the AI gateway', {
      create: {
        ...descriptionAndMetadata(),
        ai_gateway_api_key_id: kit.documented(someText, 'The id of the API key that the key belongs to.'),
        provider_id,
        value,
      },
      update: descriptionAndMetadata(),
      examples: [{ ai_gateway_api_key_id: 'aigk_1', provider_id: 'openai', value: 'a key of the provider' }],
    }),
  },
  {
    view: providerView,
    create: {
      errors: [errors.ai_key_unknown],
      run(tx, { ai_gateway_api_key_id: id, ...sent }) {
        parts.requireTargets(tx, keyOfProviderKey, id)
        return addProviderKey(tx, id, sent)
      },
    },
    update: {
      run: (tx, before, body) => putIfChanged(tx, providerKeys, before, { ...before, ...kit.described(body, before) }),
    },
    references: [keyOfProviderKey],
  },
)
