import { sha256 } from '@noble/hashes/sha2.js'
import { freshSecret } from '../engine/random.ts'
import { utf8Bytes } from '../schema/platform.ts'

/** The keys of a sandbox: they are shown once, and kept as digests only. */
export interface Keys {
  readonly api_key: string
  readonly control_key: string
}

/** What is kept of {@link Keys}. */
export type KeyDigests = { readonly [Name in keyof Keys]: string }

/** New keys of a sandbox, that nobody can guess. */
export function freshKeys(name: string): Keys {
  return { api_key: `fgapi_${name}_${freshSecret()}`, control_key: `fgctl_${freshSecret()}` }
}

/** The sandbox that the API key of an `Authorization` header names. Whether it is its key is for the sandbox to say. */
export function sandboxOf(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^Bearer +fgapi_([a-z0-9-]+)_/i.exec(authorization)?.[1]
}

/** The digests by which keys are known again. */
export function digestsOf({ api_key, control_key }: Keys): KeyDigests {
  return { api_key: digestOf(api_key), control_key: digestOf(control_key) }
}

/** SHA-256 of a key, in hexadecimal digits. The keys have 256 random bits, so that neither salt nor repetition adds anything. */
export function digestOf(key: string): string {
  let text = ''
  for (const byte of sha256(utf8Bytes(key))) text += byte.toString(16).padStart(2, '0')
  return text
}
