import { type Asn1, childrenOf, natural, tagged, Unreadable } from './der.ts'
import { type Hash, hashByOid, hashes } from './hashes.ts'
import { type Algorithm, readAlgorithm } from './key-algorithm.ts'
import { oids } from './oids.ts'
import type { PssParameters } from './rsa.ts'

const WHAT = 'signature algorithm'

/** How a certificate is signed. `kind` is the kind of key that signs this way. */
export type Scheme =
  | { readonly kind: 'rsa'; readonly padding: 'pkcs1'; readonly hash: Hash }
  | ({ readonly kind: 'rsa'; readonly padding: 'pss' } & PssParameters)
  | { readonly kind: 'ecdsa'; readonly hash: Hash }
  | { readonly kind: 'ed25519' }

const SCHEMES: Readonly<Record<string, Scheme>> = {
  [oids.sha1WithRsa]: { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha1 },
  [oids.sha224WithRsa]: { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha224 },
  [oids.sha256WithRsa]: { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha256 },
  [oids.sha384WithRsa]: { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha384 },
  [oids.sha512WithRsa]: { kind: 'rsa', padding: 'pkcs1', hash: hashes.sha512 },
  [oids.ecdsaWithSha1]: { kind: 'ecdsa', hash: hashes.sha1 },
  [oids.ecdsaWithSha224]: { kind: 'ecdsa', hash: hashes.sha224 },
  [oids.ecdsaWithSha256]: { kind: 'ecdsa', hash: hashes.sha256 },
  [oids.ecdsaWithSha384]: { kind: 'ecdsa', hash: hashes.sha384 },
  [oids.ecdsaWithSha512]: { kind: 'ecdsa', hash: hashes.sha512 },
  [oids.ed25519]: { kind: 'ed25519' },
}

/**
 * What a certificate's signature algorithm means (RFC 4055, 5758, 8410).
 *
 * @throws Unreadable where it is not supported or its parameters are malformed
 */
export function schemeOf({ oid, parameters }: Algorithm): Scheme {
  if (oid === oids.rsassaPss) return { kind: 'rsa', padding: 'pss', ...pssOf(parameters) }
  const scheme = SCHEMES[oid]
  if (!scheme) throw new Unreadable(`its signature algorithm ${oid} is not supported`)
  return scheme
}

/** RSASSA-PSS-params (RFC 4055, 3.1): members [0] to [3], each with a default. */
function pssOf(parameters: Asn1 | undefined): PssParameters {
  const members = childrenOf(parameters, WHAT)
  const member = (tag: number) => {
    const wrapper = tagged(members, tag)
    return wrapper && childrenOf(wrapper, WHAT, tag)[0]
  }
  const [hash, mask, salt, trailer] = [member(0xa0), member(0xa1), member(0xa2), member(0xa3)]
  if (trailer && natural(trailer, WHAT) !== 1n) throw new Unreadable('its signature has an unknown trailer')
  const saltLength = salt ? natural(salt, WHAT) : 20n
  if (saltLength > 65_536n) throw new Unreadable('its signature has too long a salt')
  return { hash: hash ? hashOf(hash) : hashes.sha1, maskHash: maskHashOf(mask), saltLength: Number(saltLength) }
}

function maskHashOf(mask: Asn1 | undefined): Hash {
  if (!mask) return hashes.sha1
  const { oid, parameters } = readAlgorithm(mask, WHAT)
  if (oid !== oids.mgf1) throw new Unreadable(`its mask generation function ${oid} is not supported`)
  return hashOf(parameters)
}

function hashOf(algorithm: Asn1 | undefined): Hash {
  const { oid } = readAlgorithm(algorithm, WHAT)
  const hash = hashByOid(oid)
  if (!hash) throw new Unreadable(`its hash function ${oid} is not supported`)
  return hash
}
