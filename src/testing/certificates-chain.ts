import { randomSource } from '../engine/random.ts'
import { LATEST_TIME } from '../schema/time.ts'
import type { Draw } from '../schema/values.ts'
import { hexOf } from '../x509/bytes.ts'
import { alternativeNames, basicConstraints, extendedKeyUsage, keyUsage } from '../x509/extension-writer.ts'
import { certificate, type Issuer, nameOf, serialFrom } from '../x509/issue.ts'
import { type KeyPair, secretFrom, signingKey } from '../x509/key-writer.ts'
import { pairKey } from './certificates-keys.ts'
import type { Plan } from './certificates-options.ts'

const ORGANIZATION = 'fauxgate'
const SECRET_SIZE = 48
const SERIAL_SIZE = 16

/** A CA and its certificate. */
interface Authority extends Issuer {
  readonly der: Uint8Array
}

/** What a pair is made of. */
export interface Material {
  /** Certificates, DER, leaf first. */
  readonly chain: readonly [leaf: Uint8Array, ...issuers: Uint8Array[]]
  readonly key: KeyPair
  /** Random bytes for further parts of this very pair. */
  readonly random: (what: string) => ReturnType<Draw>
}

/** Makes a pair's key and certificates. */
export function materialOf(plan: Plan): Material {
  const { draw } = randomSource(plan.seed)
  const { names, ips, keyType, notBefore, notAfter, subject, issuers } = plan
  const identity = JSON.stringify([names, ips.map(hexOf), keyType, notBefore, notAfter, subject, issuers])
  const random = (what: string) => draw(`pair ${what}\n${identity}`, 0)
  const key = pairKey(keyType, random('key'), 'leaf')
  const authorities = authoritiesOf(issuers, draw)
  const name = nameOf(...subject)
  const content = {
    serial: serialFrom(random('serial number')(SERIAL_SIZE)),
    subject: name,
    key,
    not_before: notBefore,
    not_after: notAfter,
    extensions: [
      basicConstraints('leaf'),
      keyUsage(keyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature']),
      extendedKeyUsage(['serverAuth', 'clientAuth']),
      alternativeNames(names, ips),
    ],
  }
  const leaf = certificate(content, authorities[0] ?? { name, key })
  return { chain: [leaf, ...authorities.map(({ der }) => der)], key, random }
}

/** Some CAs of a seed, the root last. The same one is the same in chains of every length. */
function authoritiesOf(count: number, draw: Draw): readonly Authority[] {
  const authorities: Authority[] = []
  for (let level = 0; level < count; level++) authorities.unshift(authorityAt(level, draw, authorities[0]))
  return authorities
}

function authorityAt(level: number, draw: Draw, issuer: Issuer | undefined): Authority {
  const key = signingKey(secretFrom(draw('pair authority keys', level)(SECRET_SIZE)))
  const commonName = level === 0 ? 'fauxgate pair root' : `fauxgate pair intermediate ${level}`
  const name = nameOf(['O', ORGANIZATION], ['CN', commonName])
  const content = {
    serial: serialFrom(key.id.slice(0, SERIAL_SIZE)),
    subject: name,
    key,
    not_before: 0,
    not_after: LATEST_TIME,
    // A root's, also for intermediates: in longer chains there are CAs below them.
    extensions: [basicConstraints('root'), keyUsage(['keyCertSign', 'cRLSign'])],
  }
  return { name, key, der: certificate(content, issuer ?? { name, key }) }
}
