import { CONTROL_PATH } from '../control/address.ts'
import { readClock, systemClock } from '../core/engine/clock.ts'
import { refuse } from '../core/schema/errors.ts'
import { timestamp } from '../core/schema/time.ts'
import { createJsonResponse, type HttpResponse, NO_CONTENT } from '../gateway/http/messages.ts'
import { errors } from './errors.ts'
import { filterValid, type StoredKey } from './key-list.ts'
import { computeDigest, createKey, type Keys } from './keys.ts'
import type { Metadata, MetadataStore } from './metadata.ts'
import type { NamedKey } from './objects.ts'

/** The maximum number of keys of one sandbox. */
const MAX_KEYS = 100

/** The keys of a sandbox, with the responses to the account calls that create, list, and revoke keys. */
export class KeyRing {
  readonly #metadata: MetadataStore
  readonly #secret: string

  constructor(metadata: MetadataStore, signingSecret: string) {
    this.#metadata = metadata
    this.#secret = signingSecret
  }

  /** Returns the two keys of a new sandbox: `keys` contains the digests to store, and `issued` contains the strings to send. */
  createFirst(name: string, created: number): { keys: StoredKey[]; issued: Keys } {
    const issued = { api_key: createKey('api', name, this.#secret), control_key: createKey('ctl', name, this.#secret) }
    const keys: StoredKey[] = [
      { name: 'api', scopes: ['api'], digest: computeDigest(issued.api_key), created, expires: null },
      { name: 'control', scopes: ['control'], digest: computeDigest(issued.control_key), created, expires: null },
    ]
    return { keys, issued }
  }

  /** Replaces the first two keys. */
  renew(metadata: Metadata): HttpResponse {
    const { keys, issued } = this.createFirst(metadata.name, readClock(systemClock))
    const others = metadata.keys.filter(({ name }) => keys.every((each) => each.name !== name))
    this.#metadata.put({ ...metadata, keys: [...keys, ...others] })
    return createJsonResponse(200, issued)
  }

  list({ keys }: Metadata): HttpResponse {
    return createJsonResponse(200, { keys: filterValid(keys, readClock(systemClock)).map(describeKey) })
  }

  add(metadata: Metadata, url: string, { name, scopes, ttl }: NamedKey): HttpResponse {
    const created = readClock(systemClock)
    const keys = filterValid(metadata.keys, created)
    if (keys.some((each) => each.name === name)) refuse(errors.key_taken, { name })
    if (keys.length >= MAX_KEYS) refuse(errors.too_many_keys, { most: MAX_KEYS })
    const key = createKey('key', metadata.name, this.#secret)
    const expires = ttl === undefined ? null : created + ttl
    const stored: StoredKey = { name, scopes, digest: computeDigest(key), created, expires }
    this.#metadata.put({ ...metadata, keys: [...keys, stored] })
    const isForInspector = scopes.some((scope) => scope !== 'api')
    // Browsers do not send the fragment of a URL to a server.
    const inspector_url = `${url}${CONTROL_PATH}/#key=${key}`
    return createJsonResponse(201, { ...describeKey(stored), key, ...(isForInspector && { inspector_url }) })
  }

  revoke(metadata: Metadata, name: string): HttpResponse {
    const keys = metadata.keys.filter((each) => each.name !== name)
    if (keys.length === metadata.keys.length) refuse(errors.key_not_found, { name })
    this.#metadata.put({ ...metadata, keys })
    return NO_CONTENT
  }
}

function describeKey({ name, scopes, created, expires }: StoredKey) {
  return { name, scopes, created_at: timestamp(created), expires_at: expires === null ? null : timestamp(expires) }
}
