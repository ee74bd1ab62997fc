import { refuse } from '../schema/errors.ts'
import type { Certificate } from './certificate.ts'
import { readOr } from './der.ts'
import { errors } from './errors.ts'
import { type Pem, type PemBlock, splitPem, writePem } from './pem.ts'
import { isKeyType, typeText } from './pem-types.ts'
import { belongsTo, type PrivateKey, readPrivateKey } from './private-key.ts'
import { keyName } from './public-key.ts'
import { requireShort } from './size.ts'

const FIELD = 'private_key_pem'
const ALLOWED = 'PRIVATE KEY, RSA PRIVATE KEY, EC PRIVATE KEY'

/** Blocks that tools write beside a key: `openssl ecparam -genkey` its parameters, others the certificate. */
const BESIDE_A_KEY: ReadonlySet<string> = new Set(['EC PARAMETERS', 'CERTIFICATE'])

/** An uploaded private key. */
export interface UploadedKey {
  readonly key: PrivateKey
  /** The key's block alone: 64 columns, "\n" line ends. */
  readonly private_key_pem: string
}

/**
 * Reads an uploaded PEM private key, the first one where there are several. No message repeats any of its content.
 *
 * @throws Refusal with one of `key_missing`, `certificate_too_long`, `pem_wrong_type`, `key_is_certificate`,
 * `key_encrypted` and `key_unsupported` (rules: tls-certificates#private-key)
 */
export function readKey(text: string | undefined): UploadedKey {
  if (!text?.trim()) refuse(errors.key_missing, { field: FIELD })
  requireShort(FIELD, text)
  const { type, encrypted, der, damage } = keyBlock(splitPem(text))
  if (encrypted || type === 'ENCRYPTED PRIVATE KEY') refuse(errors.key_encrypted, { field: FIELD })
  if (!der) refuse(errors.key_unsupported, { field: FIELD, problem: damage })
  const key = readOr(
    () => readPrivateKey({ type, der }),
    (problem) => refuse(errors.key_unsupported, { field: FIELD, problem }),
  )
  return { key, private_key_pem: writePem(type, der) }
}

/**
 * Checks that a private key is the one of the leaf certificate.
 *
 * @throws Refusal with `certificate_key_mismatch`
 */
export function requireMatch(leaf: Certificate, key: PrivateKey): void {
  if (belongsTo(key, leaf.publicKey)) return
  refuse(errors.certificate_key_mismatch, { field: FIELD, leaf: keyName(leaf.publicKey), key: keyName(key) })
}

function keyBlock({ blocks, problem }: Pem): PemBlock {
  const key = blocks.find(({ type }) => isKeyType(type))
  const other = blocks.find(({ type }) => !isKeyType(type) && !BESIDE_A_KEY.has(type))
  if (other) refuse(errors.pem_wrong_type, { field: FIELD, received: typeText(other.type), allowed: ALLOWED })
  if (problem !== undefined) refuse(errors.key_unsupported, { field: FIELD, problem })
  if (key) return key
  if (blocks.some(({ type }) => type === 'CERTIFICATE')) refuse(errors.key_is_certificate, { field: FIELD })
  refuse(errors.key_missing, { field: FIELD })
}
