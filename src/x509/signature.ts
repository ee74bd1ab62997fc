import { ed25519 } from '@noble/curves/ed25519.js'
import { sameBytes } from './bytes.ts'
import type { Certificate } from './certificate.ts'
import { curves } from './curves.ts'
import { readOr } from './der.ts'
import { nameText } from './name.ts'
import { keyName, type PublicKey } from './public-key.ts'
import { verifyPkcs1, verifyPss } from './rsa.ts'
import { type Scheme, schemeOf } from './signature-algorithm.ts'

const KIND_NAMES = { rsa: 'RSA', ecdsa: 'ECDSA', ed25519: 'Ed25519' } as const

/**
 * Whether `child` names `issuer` as its issuer, byte for byte, and carries a signature by its key. Validity and CA
 * flags are not looked at (rules: tls-certificates#accepted).
 *
 * @returns undefined where it does, else the reason why not as a fragment for a message
 */
export function isSignedBy(child: Certificate, issuer: Certificate): string | undefined {
  if (!sameBytes(child.issuer.raw, issuer.subject.raw)) return differentNames(child, issuer)
  return readOr(
    () => mismatch(schemeOf(child.signatureAlgorithm), issuer.publicKey, child),
    (problem) => problem,
  )
}

function differentNames(child: Certificate, issuer: Certificate): string {
  const [named, found] = [nameText(child.issuer), nameText(issuer.subject)]
  if (named !== found) return `its issuer is ${named}, the next certificate's subject is ${found}`
  return `its issuer and the next certificate's subject, ${named}, differ in their bytes`
}

function mismatch(scheme: Scheme, key: PublicKey, certificate: Certificate): string | undefined {
  const verified = verify(scheme, key, certificate)
  if (verified === undefined) {
    return `its signature is ${KIND_NAMES[scheme.kind]}, the next certificate's key is ${keyName(key)}`
  }
  return verified ? undefined : 'the signature does not verify'
}

/** Whether a certificate's signature verifies. Undefined where the key is of another kind than the signature. */
function verify(scheme: Scheme, key: PublicKey, { tbs, signature }: Certificate): boolean | undefined {
  if (scheme.kind === 'rsa' && key.kind === 'rsa') {
    return scheme.padding === 'pss'
      ? verifyPss(key, scheme, tbs, signature)
      : verifyPkcs1(key, scheme.hash, tbs, signature)
  }
  if (scheme.kind === 'ed25519' && key.kind === 'ed25519') {
    return holds(() => ed25519.verify(signature, tbs, key.bytes))
  }
  if (scheme.kind === 'ecdsa' && key.kind === 'ecdsa') {
    const options = { lowS: false, prehash: false, format: 'der' } as const
    return holds(() => curves[key.curve].arithmetic.verify(signature, scheme.hash.digest(tbs), key.point, options))
  }
  return undefined
}

/** The curves' functions throw for a signature that is not well formed. */
function holds(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}
