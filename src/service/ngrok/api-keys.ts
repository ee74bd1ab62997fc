import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { credentials } from './credentials.ts'
import * as owned from './owned.ts'
import { byOwner, newToken, ownerRow } from './owned-records.ts'

const errors = kit.declareErrors({
  auth_malformed: kit.entry(
    202,
    403,
    "The API key is not one of this gateway's keys. Send a key from the option `keys` (--key), or a token from " +
      'POST /api_keys.',
  ),
  auth_is_key_id: kit.entry(
    208,
    403,
    'The ID of an API key was sent. Send its token, which is only in the response to the request that created it.',
  ),
  api_key_limit_reached_older: kit.tooMany(603),
  api_key_limit_reached: kit.tooMany(613),
  api_key_rate_reached: kit.tooFast(614),
})

const table = parts.columns(
  {
    ...owned.heading,
    name: 'api_keys',
    items: 'keys',
    prefix: 'ak',
    what: 'API key',
    tableFields: ['id', 'owner_id'],
    errors: { ...owned.errors, ...errors },
    limit: {
      reached: errors.api_key_limit_reached,
      older: errors.api_key_limit_reached_older,
      rate: errors.api_key_rate_reached,
    },
    title: 'ApiKey',
    sentence: 'A key for requests to this API.',
  },
  {
    token: owned.tokenColumn,
    ...owned.ownerColumns,
    precomputed_token: owned.precomputedTokenColumn,
  },
  { indexes: { owner: byOwner } },
)

/** The API keys, indexed by the ID of their owner. */
export const apiKeys = table.records

const family = kit.resource(table.kind, {
  ...table.rules,
  create: {
    errors: owned.ownerErrors,
    run(tx, body) {
      const key = table.newRecord(tx, { ...body, owner_id: owned.readOwner(tx, body) })
      return tx.put(apiKeys, { ...key, token: newToken(tx, key.id) })
    },
    once: ({ token = null }) => ({ token }),
  },
  update: owned.defineOwnedUpdate(apiKeys, table.kind.updateBody),
  references: [ownerRow(apiKeys, owned.errors.owner_not_found)],
})

/** A token of this service. It starts with the characters of the key's ID. */
const TOKEN = /^([0-9A-Za-z]{27})_[0-9A-Za-z]{21}$/

/** API keys, which are valid for requests until they are deleted. */
export const apiKeyFamily = {
  ...family,
  apiKeys: {
    errors: [errors.auth_malformed, kit.general.auth_is_authtoken, errors.auth_is_key_id],
    isValidKey(key: string, state: parts.KeyState) {
      if (parts.isIdOf(key, 'ak_')) kit.refuse(errors.auth_is_key_id, {})
      const [, characters] = TOKEN.exec(key) ?? []
      if (characters === undefined) return undefined
      const isTokenOf = (record: { readonly token?: string } | undefined) => parts.isOneOf([record?.token ?? ''], key)
      if (isTokenOf(state.get(credentials, `cr_${characters}`))) kit.refuse(kit.general.auth_is_authtoken, {})
      const id = `ak_${characters}`
      const record = state.get(apiKeys, id)
      if (isTokenOf(record)) return true
      if (!parts.wasMade(id, 'ak', state.sequence)) return undefined
      return record ? false : kit.refuse(kit.general.auth_invalid, { deleted: id })
    },
    refuseUnknown(key: string) {
      if (!TOKEN.test(key)) kit.refuse(errors.auth_malformed, {})
    },
  },
}
