import { bytesToHex } from '@noble/hashes/utils.js'
import { createRandomSource } from '../core/engine/random.ts'
import type { Draw } from '../core/schema/values.ts'
import { ed25519 } from '../service/x509/curves.ts'
import { encode, integer, octetString, oid, sequence } from '../service/x509/der-writer.ts'
import {
  certifiedKey,
  createIssuer,
  createName,
  type Issuer,
  type KeyPair,
  leafCertificate,
  randomKey,
  randomSerial,
  rsaKey,
} from '../service/x509/issue.ts'
import { oids } from '../service/x509/oids.ts'
import type { KeyType, ReadPairOptions } from './certificates-options.ts'

/**
 * PUBLISHED TEST KEYS. Anyone can read these keys, so use them in tests only. Each entry contains the two primes of a 2048-bit RSA key, in
 * hex. They are constants because generating an RSA key takes seconds.
 */
const rsaTestPrimes = {
  /** Published test key for all RSA pairs. */
  leaf: [
    'c3fb97e3b13ff8b74fa9d296f74fc1ae400e0e460c0afdef06dacd25cebc758da350e5fa5dfdff82f74056c8674c6206871f' +
      '56316218847f6f5d598e541295b4d5a4f8aee9ae6942c0e49ac281b8bf814552515f596be1efcdbe3d1ca512cb4b98b06af4' +
      '0938a1bdd1fe7fda3126a3e3f9221b7f2bcb6e20c31efa508af31c35',
    'c14a0c4ad4bb3518c9ccb25df7873ab85aca3fdc98f69b03ee8e014313ca1df0a1e496bec0a89f3d210dad5c121f5db02b6e' +
      'b8a8f002c958760876758e8fb0d35ce14524dbbf57734ee8e6518eb1f7bde2498226ac34fd98ad1405320567c3f9a606f7c2' +
      '2b65eae570f446c013fe0cf0e7642a21c39f3d1e00aa8047fe9dcbb7',
  ],
  /** Published test key for RSA pairs whose key must not match. */
  other: [
    'e87a373ef526846fd2f8599dec1137524c10b19406f1f7d02f79eb84d0e4e46b0f0389cae6b69f0ed9f27fd03bcc0682471d' +
      '4c01a68ac42ed9784795c980d1d1a0480cf3a892ca2217204347caffbe883f7a4fdf8ba02b8f4c85ebbcc28d067ea7edd930' +
      'bba9e8ad222eb47b8ffac9404896f60d7ec8098444d98a4f1a10297b',
    'd1db51d61e8d08e894357ca05f83d0f1a1b97a13337678df7d8bdcc5c2dc88b4e2fc5f1bb0e5979ffcbcd577b4f92180767d' +
      '27f3d44edc731e51611eb144b5b145e94231fdf532a8a4bb0c1d71ef17c726e7cc010930208d62759382b6765ee19baa3526' +
      '42f7e02fc97d94eeea4adf9ad159c39e9a79b7c9f1b4515241959c6d',
  ],
} as const

/** The certificates and key of a pair, and a source of more random bytes from its seed. */
export interface Material {
  /** DER certificates, leaf first. */
  readonly chain: readonly [leaf: Uint8Array, ...issuers: Uint8Array[]]
  readonly key: KeyPair
  /** Draws random bytes for another component of this pair. */
  readonly random: (what: string) => ReturnType<Draw>
}

/** Creates the certificates and key of a pair. */
export function createMaterial(options: ReadPairOptions): Material {
  const { draw } = createRandomSource(options.seed)
  const { names, ips, keyType, notBefore, notAfter, subject, issuers } = options
  const identity = JSON.stringify([names, ips.map(bytesToHex), keyType, notBefore, notAfter, subject, issuers])
  const random = (what: string) => draw(`pair ${what}\n${identity}`, 0)
  const key = createPairKey(keyType, random('key'), 'leaf')
  const authorities = createAuthorities(issuers, draw)
  const times = { not_before: notBefore, not_after: notAfter }
  const leaf = leafCertificate(
    { serial: randomSerial(random('serial number')), subject, key, keyType, ...times, names, ips },
    authorities[0] ?? { name: createName(...subject), key },
  )
  return { chain: [leaf, ...authorities.map(({ der }) => der)], key, random }
}

/** Creates the CAs for a seed, root last. A CA is the same in chains of any length. */
function createAuthorities(count: number, draw: Draw): readonly Issuer[] {
  const authorities: Issuer[] = []
  for (let level = 0; level < count; level++) {
    const commonName = level === 0 ? 'fauxgate pair root' : `fauxgate pair intermediate ${level}`
    const key = randomKey(draw('pair authority keys', level))
    // Intermediates also use the kind `root`, because longer chains put CAs below them.
    authorities.unshift(createIssuer('root', commonName, key, authorities[0]))
  }
  return authorities
}

/** Creates a key from random bytes. For RSA, returns the published test key of this role instead. */
export function createPairKey(type: KeyType, random: ReturnType<Draw>, role: keyof typeof rsaTestPrimes): KeyPair {
  if (type === 'rsa') return rsaKey(rsaTestPrimes[role])
  return type === 'ed25519' ? createEd25519Key(random(32)) : randomKey(random)
}

/** Creates an Ed25519 key. Its AlgorithmIdentifier has no parameters, and signatures use it too (RFC 8410). */
function createEd25519Key(seed: Uint8Array): KeyPair {
  const algorithm = sequence(oid(oids.ed25519))
  return {
    ...certifiedKey(algorithm, ed25519().getPublicKey(seed)),
    pkcs8: encode(sequence(integer(0n), algorithm, octetString(octetString(seed)))),
    algorithm,
    sign: (message) => ed25519().sign(message, seed),
  }
}
