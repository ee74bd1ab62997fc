import { CONTROL_PATH } from '../control/control.ts'
import { readClock, systemClock } from '../engine/clock.ts'
import { type HttpResponse, jsonAnswer, NO_CONTENT } from '../http/messages.ts'
import { firstKeys, listedKey, present, type StoredKey, withFirstKeys, withKey, withoutKey } from './key-list.ts'
import { digestOf, freshKey, type Keys } from './keys.ts'
import type { Metadata, MetadataStore } from './metadata.ts'
import type { NamedKey } from './objects.ts'

/** Makes, lists and revokes the keys of a sandbox, and answers the account's calls for that. */
export class KeyRing {
  readonly #metadata: MetadataStore
  readonly #secret: string

  constructor(metadata: MetadataStore, signingSecret: string) {
    this.#metadata = metadata
    this.#secret = signingSecret
  }

  first(name: string, created: number): { keys: StoredKey[]; shown: Keys } {
    return firstKeys(name, this.#secret, created)
  }

  renew(metadata: Metadata): HttpResponse {
    const { keys, shown } = this.first(metadata.name, readClock(systemClock))
    this.#metadata.put({ ...metadata, keys: withFirstKeys(metadata.keys, keys) })
    return jsonAnswer(200, shown)
  }

  list({ keys }: Metadata): HttpResponse {
    return jsonAnswer(200, { keys: present(keys, readClock(systemClock)).map(listedKey) })
  }

  add(metadata: Metadata, url: string, { name, scopes, ttl }: NamedKey): HttpResponse {
    const created = readClock(systemClock)
    const key = freshKey('key', metadata.name, this.#secret)
    const expires = ttl === undefined ? null : created + ttl
    const stored: StoredKey = { name, scopes, digest: digestOf(key), created, expires }
    this.#metadata.put({ ...metadata, keys: withKey(present(metadata.keys, created), stored) })
    const isForInspector = scopes.some((scope) => scope !== 'api')
    // A fragment of a URL is sent to no server.
    const inspector_url = `${url}${CONTROL_PATH}/#key=${key}`
    return jsonAnswer(201, { ...listedKey(stored), key, ...(isForInspector && { inspector_url }) })
  }

  revoke(metadata: Metadata, name: string): HttpResponse {
    this.#metadata.put({ ...metadata, keys: withoutKey(metadata.keys, name) })
    return NO_CONTENT
  }
}
