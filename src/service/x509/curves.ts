import { eddsa, edwards } from '@noble/curves/abstract/edwards.js'
import { ecdsa, type WeierstrassOpts, weierstrass } from '@noble/curves/abstract/weierstrass.js'
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { lazy } from '../../core/schema/values.ts'
import { oids } from './oids.ts'

// Importing noble's own modules for these curves would compute all of them and load Node's Web Crypto. That took a fifth of this package's
// import time.

/** The parameters of P-256 (FIPS 186-4, D.1.2.3). */
const P256 = {
  p: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
  n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  h: 1n,
  a: 0xffffffff00000001000000000000000000000000fffffffffffffffffffffffcn,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  Gx: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  Gy: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
}

/** The parameters of P-384 (FIPS 186-4, D.1.2.4). */
const P384 = {
  p: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffffn,
  n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  h: 1n,
  a: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000fffffffcn,
  b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  Gx: 0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
  Gy: 0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
}

/** The parameters of P-521 (FIPS 186-4, D.1.2.5). */
const P521 = {
  p: 2n ** 521n - 1n,
  n: 0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
  h: 1n,
  a: 2n ** 521n - 4n,
  b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  Gx: 0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
  Gy: 0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
}

/** The parameters of the Ed25519 curve (RFC 8032, 5.1). */
const EDWARDS25519 = {
  p: 2n ** 255n - 19n,
  n: 2n ** 252n + 27742317777372353535851937790883648493n,
  h: 8n,
  a: 2n ** 255n - 20n,
  d: 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n,
  Gx: 0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51an,
  Gy: 0x6666666666666666666666666666666666666666666666666666666666666658n,
}

// These types are derived from the functions, because bundlers don't find noble's own names for them.
type Ecdsa = ReturnType<typeof ecdsa>
type Eddsa = ReturnType<typeof eddsa>

const ecdsaOn = (curve: WeierstrassOpts<bigint>, hash: Parameters<typeof ecdsa>[1]): (() => Ecdsa) =>
  lazy(() => ecdsa(weierstrass(curve), hash))

/** The curves that ECDSA keys can use (rules: tls-certificates#accepted), each with the length of a coordinate or secret in bytes. */
export const curves = {
  'P-256': { oid: oids.p256, arithmetic: ecdsaOn(P256, sha256), bytes: 32 },
  'P-384': { oid: '1.3.132.0.34', arithmetic: ecdsaOn(P384, sha384), bytes: 48 },
  'P-521': { oid: '1.3.132.0.35', arithmetic: ecdsaOn(P521, sha512), bytes: 66 },
} as const

export type Curve = keyof typeof curves

/** Returns the Ed25519 functions (RFC 8032). */
export const ed25519: () => Eddsa = lazy(() =>
  eddsa(edwards(EDWARDS25519), sha512, { adjustScalarBytes: clamp, zip215: true }),
)

/** Sets and clears the fixed bits of a secret scalar (RFC 8032, 5.1.5), and returns it. */
function clamp(bytes: Uint8Array): Uint8Array {
  bytes[0] = (bytes[0] ?? 0) & 0b1111_1000
  bytes[31] = ((bytes[31] ?? 0) & 0b0111_1111) | 0b0100_0000
  return bytes
}
