import { ed25519 } from '@noble/curves/ed25519.js'
import { sameBytes } from './bytes.ts'
import type { Certificate } from './certificate.ts'
import { curves } from './curves.ts'
import { Unreadable } from './der.ts'
import { nameText } from './name.ts'
import { keyName, type PublicKey } from './public-key.ts'
import { verifyPkcs1, verifyPss } from './rsa.ts'
import { type Scheme, schemeOf } from './signature-algorithm.ts'

const KIND_NAMES = { rsa: 'RSA', ecdsa: 'ECDSA', ed25519: 'Ed25519' } as const

/**
 * Whether `child` names `issuer` as its issuer, byte for byte, and carries a signature by its key. Validity and CA
 * flags are not looked at (decisions, "TLS certificates").
 *
 * @returns undefined where it does, else the reason why not as a fragment for a message
 */
export function isSignedBy(child: Certificate, issuer: Certificate): string | undefined {
  if (!sameBytes(child.issuer.raw, issuer.subject.raw)) return differentNames(child, issuer)
  let scheme: Scheme
  try {
    scheme = schemeOf(child.signatureAlgorithm)
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
  if (scheme.kind !== issuer.publicKey.kind) {
    return `its signature is ${KIND_NAMES[scheme.kind]}, the next certificate's key is ${keyName(issuer.publicKey)}`
  }
  return verify(scheme, issuer.publicKey, child) ? undefined : 'the signature does not verify'
}

function differentNames(child: Certificate, issuer: Certificate): string {
  const [named, found] = [nameText(child.issuer), nameText(issuer.subject)]
  if (named !== found) return `its issuer is ${named}, the next certificate's subject is ${found}`
  return `its issuer and the next certificate's subject, ${named}, differ in their bytes`
}

function verify(scheme: Scheme, key: PublicKey, { tbs, signature }: Certificate): boolean {
  if (scheme.kind === 'rsa' && key.kind === 'rsa') {
    return scheme.padding === 'pss'
      ? verifyPss(key, scheme, tbs, signature)
      : verifyPkcs1(key, scheme.hash, tbs, signature)
  }
  // The curves' functions throw for a signature that is not well formed.
  try {
    if (scheme.kind === 'ed25519' && key.kind === 'ed25519') return ed25519.verify(signature, tbs, key.bytes)
    if (scheme.kind !== 'ecdsa' || key.kind !== 'ecdsa') return false
    const options = { lowS: false, prehash: false, format: 'der' } as const
    return curves[key.curve].arithmetic.verify(signature, scheme.hash.digest(tbs), key.point, options)
  } catch {
    return false
  }
}
