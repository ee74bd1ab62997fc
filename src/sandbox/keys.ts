import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { CONTROL_KEY_HEADER } from '../control/address.ts'
import { createSecret } from '../core/engine/random.ts'
import { utf8Bytes } from '../core/schema/platform.ts'
import { isOneOf } from '../core/schema/secret-texts.ts'

/** The two keys of a new sandbox. Only one response contains them, and the sandbox stores only their digests. */
export interface Keys {
  readonly api_key: string
  readonly control_key: string
}

/** A function that returns a request header by its lowercase name, or null. */
export type Header = (name: string) => string | null

/** The kind of a key, shown by its prefix: for the API, for the controls, or a named key. */
export type KeyKind = 'api' | 'ctl' | 'key'

/** The parts of a sandbox key. Control keys from version 0.1.0 do not name their sandbox. */
interface KeyParts {
  readonly kind: string
  readonly sandbox: string | undefined
  readonly secret: string
  readonly signature: string | undefined
}

const KEY = /^fg(api|ctl|key)_(?:([a-z0-9-]+)_)?([0-9a-f]{64})(?:_([0-9a-f]{32}))?$/

function parseKey(key: string): KeyParts | undefined {
  const [, kind, sandbox, secret, signature] = KEY.exec(key) ?? []
  return kind && secret ? { kind, sandbox, secret, signature } : undefined
}

/** Returns a new key, signed with the account's secret so that the Worker can check it without calling the sandbox. */
export function createKey(kind: KeyKind, sandbox: string, signingSecret: string): string {
  const secret = createSecret()
  return `fg${kind}_${sandbox}_${secret}_${sign({ kind, sandbox, secret }, signingSecret)}`
}

/** Returns the keys that the gateway inside a sandbox requires. They never leave the sandbox. */
export function createGatewayKeys(): Keys {
  return { api_key: createSecret(), control_key: createSecret() }
}

function sign({ kind, sandbox, secret }: Omit<KeyParts, 'signature'>, signingSecret: string): string {
  return toHex(hmac(sha256, utf8Bytes(signingSecret), utf8Bytes(`${sandbox}\n${kind}\n${secret}`))).slice(0, 32)
}

/** The result of checking a key's signature. Keys from version 0.1.0 are `unsigned`. Keys for other sandboxes are `foreign`. */
export type KeyTrust = 'signed' | 'unsigned' | 'foreign'

/** Checks the signature of a key, without the sandbox's list of keys (rules: sandboxes#keys). */
export function checkSignature(key: string, sandbox: string, signingSecret: string): KeyTrust {
  const parts = parseKey(key)
  if (!parts || !signingSecret) return 'foreign'
  const { kind, signature } = parts
  if (signature === undefined) {
    const isOld = kind === 'api' ? parts.sandbox === sandbox : kind === 'ctl' && parts.sandbox === undefined
    return isOld ? 'unsigned' : 'foreign'
  }
  const isSigned = parts.sandbox === sandbox && isOneOf([sign(parts, signingSecret)], signature)
  return isSigned ? 'signed' : 'foreign'
}

/** Returns the sandbox that the API key in an `Authorization` header names. Does not check the key. */
export function readSandboxName(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^Bearer +fg(?:api|key)_([a-z0-9-]+)_/i.exec(authorization)?.[1]
}

/** Returns the SHA-256 hash of a key in hexadecimal. A key has 256 random bits, so it doesn't need a salt. */
export function computeDigest(key: string): string {
  return toHex(sha256(utf8Bytes(key)))
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const BEARER = /^Bearer +(\S.*)$/i
const CONTROL_KEY = CONTROL_KEY_HEADER.toLowerCase()

/** The prefix of the subprotocol that contains the key: browsers cannot send headers with a WebSocket. */
const KEY_PROTOCOL = 'fauxgate-key.'

export function isWebSocketRequest(header: Header): boolean {
  return header('upgrade')?.toLowerCase() === 'websocket'
}

/** Returns the key in the subprotocols that a WebSocket request offers, or null. */
function readOfferedKey(protocols: string | null): string | null {
  const offered = protocols?.split(',').map((each) => each.trim())
  const protocol = offered?.find((each) => each.startsWith(KEY_PROTOCOL))
  if (protocol === undefined) return null
  try {
    return decodeURIComponent(protocol.slice(KEY_PROTOCOL.length))
  } catch {
    return null
  }
}

/** The keys that a request contains: a key for the API, and a key for the controls. */
export interface SentKeys {
  readonly api: string | undefined
  readonly control: string | undefined
}

/** Returns the keys of a request. With a WebSocket, a browser sends the key in a subprotocol instead of a header. */
export function readSentKeys(header: Header): SentKeys {
  const offered = isWebSocketRequest(header) ? readOfferedKey(header('sec-websocket-protocol')) : null
  return {
    api: BEARER.exec(header('authorization') ?? '')?.[1],
    control: offered ?? header(CONTROL_KEY) ?? undefined,
  }
}

/** Returns the headers with these keys instead of the keys that were sent. */
export function withKeys(header: Header, { api, control }: SentKeys): Header {
  return (name) => {
    if (name === CONTROL_KEY && control !== undefined) return control
    if (name === 'authorization' && api !== undefined) return `Bearer ${api}`
    return header(name)
  }
}
