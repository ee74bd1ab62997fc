import { bytesToNumberBE } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { sectionReader } from '../../core/operation/family.ts'
import { type Draw, once } from '../../core/schema/values.ts'
import { testKeys } from '../x509/authority.ts'
import { toBinary } from '../x509/bytes.ts'
import { type Curve, curves, ed25519 } from '../x509/curves.ts'
import { hashes } from '../x509/hashes.ts'
import { rsaNumbers, signPkcs1 } from '../x509/rsa.ts'
import { readPublicKey } from './public-key.ts'
import { mpint, string, uint32, uint64 } from './wire.ts'

/** The key types that an SSH certificate authority can have. */
export const SSH_KEY_TYPES = ['rsa', 'ecdsa', 'ed25519'] as const

/** The elliptic curves of ECDSA keys, by their names in SSH (RFC 5656, 10.1). */
export const SSH_CURVES = { nistp256: 'P-256', nistp384: 'P-384', nistp521: 'P-521' } as const satisfies Record<
  string,
  Curve
>

/** PUBLISHED TEST KEY of all SSH authorities with 4096-bit RSA keys, as its two primes in hex. They were generated once with openssl. */
const RSA_4096 = [
  'fe172e167076db89b828e23a47e5fa8edd5dc015b8ae395e8bf7789445d63f2712c8746ed4930f0e303bcd78a91f959bdfd9d5c92015f1874a231352b345f36d3ad6299aa69f1a76cec4bb474b52979110830bb0b06ff2a3d4a0099aef3dba829db87db04d2d1baccdc82b2880d2d392fad3c6d50af0e5436913fb44828ec8a25de3e607f9f0f876c3dacc79d8793716662b6f3ca57d67352376f8dc49468b2d105a1c8c5650adf517bffe0b1b8cb50f32f88aced1368e569b7d95b9aa41c872eec5b69fdbf75e10d401dc0a0573133cc732fbe3ea1550186452fd7a2ffde4eee8969252b0d465fb6d02c56bd7aaa4c85f4e50298fa8d85de5fbcc8565b70e51',
  'e025a50df50f8311bff371d367c8e0f743516c3a7661a8ab8552d564e752a9f2cb67a1ce6fd339f1f295e1623cd4f93a3d152c00b0300745267ab7023587f1a92e2edcfc3974c9c7aa393bf7e41d6664f671434d90215a434d3a875cd670d171c9a532a4a8d9da353f39349387fe0f2295950b77c588821b9f551c475c04287f842da121e3cf301080a6ddfbe01a3da7e4c435218f0c55caed14dd1755b8b3f01f84161a6102c849e0747b1806ee10ef3a0dcabf379ecbd0e9f4f99c436df32ea5cc0e9d4fcaa80be72061e5c2dceba0197b049acc54e34a9da6d3de1806ab94b6a12f785a608f2c9dc319c5e07beb2a4715daa3bbe08881b88b6762c8484cfb',
] as const

/** The published RSA test keys, by size in bits, because generating a key takes seconds. */
const RSA_KEYS = { 2048: testKeys.rsaLeaf, 4096: RSA_4096 }

/** An order for an authority's key. The same order always produces the same key. */
export interface SshKeyOrder {
  readonly type: (typeof SSH_KEY_TYPES)[number]
  /** The curve of an ECDSA key. */
  readonly curve: keyof typeof SSH_CURVES
  /** The size of an RSA key in bits. */
  readonly bits: keyof typeof RSA_KEYS
  /** The order number, from which the key is derived. */
  readonly number: number
}

/** An order for a certificate. The same order to the same authority always produces the same certificate. */
export interface SshCertificateOrder {
  readonly kind: 'user' | 'host'
  /** The ID in the certificate, which servers log. */
  readonly id: string
  /** The key to certify, as an OpenSSH line. */
  readonly public_key: string
  readonly principals: readonly string[]
  /** The start of the validity period in epoch ms, rounded to whole seconds. */
  readonly valid_after: number
  /** The end of the validity period in epoch ms, rounded to whole seconds. */
  readonly valid_until: number
  readonly critical_options: Readonly<Record<string, string>>
  readonly extensions: Readonly<Record<string, string>>
  /** The number from which the nonce is derived. */
  readonly number: number
}

/** The part of a gateway's certificate authority that creates SSH keys and certificates. */
export interface SshAuthority {
  /** Returns the public key for an order as an OpenSSH line without a comment. */
  publicKey(order: SshKeyOrder): string
  /** Certifies a key. Returns an OpenSSH line with the ID of the certificate as the comment. */
  certify(key: SshKeyOrder, order: SshCertificateOrder): string
}

/** Returns the SSH part of the authority in a view: `sshAuthority(wire.authority).ssh.publicKey(order)`. */
export const sshAuthority = sectionReader<{ readonly ssh: SshAuthority }>('ssh')

/** A signing key with its public part (RFC 4253, 6.6). */
interface Signer {
  readonly algorithm: string
  readonly blob: Uint8Array
  sign(message: Uint8Array): Uint8Array
}

/** Creates the SSH part of a gateway's authority. `draw` is the source of keys and nonces. */
export function createSshAuthority(draw: Draw): SshAuthority {
  // Each view has the public key, and deriving it takes longer than the rest of a request. Orders are frozen.
  const signerOf = once(({ type, curve, bits, number }: SshKeyOrder): Signer => {
    const random = draw('SSH authority keys', number)
    if (type === 'rsa') return rsaSigner(RSA_KEYS[bits])
    return type === 'ecdsa' ? ecdsaSigner(curve, random) : ed25519Signer(random(32))
  })
  return {
    publicKey(order) {
      const { algorithm, blob } = signerOf(order)
      return formatLine(algorithm, blob)
    },
    certify(key, order) {
      const signer = signerOf(key)
      const { algorithm, blob } = readPublicKey(order.public_key)
      const name = `${algorithm}-cert-v01@openssh.com`
      const content = concatBytes(
        string(name),
        string(draw('SSH nonces', order.number)(32)),
        // The key without the name of its algorithm.
        blob.subarray(4 + algorithm.length),
        ...listFields(order),
        string(signer.blob),
      )
      return `${formatLine(name, concatBytes(content, string(signer.sign(content))))} ${order.id}`
    },
  }
}

const KINDS = { user: 1, host: 2 } as const

/** Returns the fields between the key and the signature (OpenSSH's PROTOCOL.certkeys). */
function listFields(order: SshCertificateOrder): Uint8Array[] {
  return [
    uint64(0),
    uint32(KINDS[order.kind]),
    string(order.id),
    string(concatBytes(...order.principals.map(string))),
    uint64(Math.floor(order.valid_after / 1000)),
    uint64(Math.floor(order.valid_until / 1000)),
    string(writeOptions(order.critical_options)),
    string(writeOptions(order.extensions)),
    // Reserved.
    string(''),
  ]
}

/** Encodes options sorted by name. A value is encoded twice, unless it is empty. */
function writeOptions(options: Readonly<Record<string, string>>): Uint8Array {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return concatBytes(...sorted.flatMap(([name, value]) => [string(name), string(value === '' ? '' : string(value))]))
}

const formatLine = (algorithm: string, blob: Uint8Array) => `${algorithm} ${btoa(toBinary(blob))}`

function ed25519Signer(seed: Uint8Array): Signer {
  const algorithm = 'ssh-ed25519'
  return {
    algorithm,
    blob: concatBytes(string(algorithm), string(ed25519().getPublicKey(seed))),
    sign: (message) => concatBytes(string(algorithm), string(ed25519().sign(message, seed))),
  }
}

/** Signs with the hash for the curve's size (RFC 5656, 3.1.2 and 6.2.1). */
function ecdsaSigner(curve: SshKeyOrder['curve'], random: (size: number) => Uint8Array): Signer {
  const { arithmetic, bytes } = curves[SSH_CURVES[curve]]
  const { utils, lengths, getPublicKey, sign } = arithmetic()
  const secret = utils.randomSecretKey(random(lengths.seed ?? 0))
  const algorithm = `ecdsa-sha2-${curve}`
  return {
    algorithm,
    blob: concatBytes(string(algorithm), string(curve), string(getPublicKey(secret, false))),
    sign(message) {
      const signature = sign(message, secret, { prehash: true, format: 'compact' })
      const numbers = [signature.subarray(0, bytes), signature.subarray(bytes)].map((part) =>
        mpint(bytesToNumberBE(part)),
      )
      return concatBytes(string(algorithm), string(concatBytes(...numbers)))
    },
  }
}

function rsaSigner(primes: readonly [p: string, q: string]): Signer {
  const numbers = rsaNumbers(primes)
  return {
    algorithm: 'ssh-rsa',
    blob: concatBytes(string('ssh-rsa'), mpint(numbers.e), mpint(numbers.n)),
    // RFC 8332, 3: SHA-1, after which the key is named, is rejected by today's servers.
    sign: (message) => concatBytes(string('rsa-sha2-512'), string(signPkcs1(numbers, hashes.sha512, message))),
  }
}
