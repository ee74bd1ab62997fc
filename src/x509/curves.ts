import { p256, p384, p521 } from '@noble/curves/nist.js'
import { oids } from './oids.ts'

/** The elliptic curves that ECDSA keys may use (rules: tls-certificates#accepted). */
export type Curve = 'P-256' | 'P-384' | 'P-521'

/** The arithmetic of each curve and the length in bytes of its coordinates and secrets. */
export const curves = {
  'P-256': { arithmetic: p256, bytes: 32 },
  'P-384': { arithmetic: p384, bytes: 48 },
  'P-521': { arithmetic: p521, bytes: 66 },
} as const

/** A supported curve by the identifier of its name (RFC 5480, 2.1.1.1), or undefined. */
export function curveByOid(oid: string): Curve | undefined {
  if (oid === oids.p256) return 'P-256'
  if (oid === oids.p384) return 'P-384'
  if (oid === oids.p521) return 'P-521'
  return undefined
}
