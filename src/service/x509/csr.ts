import type { Asn1 } from './der.ts'
import {
  malformedError,
  parse,
  readChildren,
  readNatural,
  readOr,
  readWholeBits,
  sliceElements,
  Unreadable,
} from './der.ts'
import { certifiedKey } from './issue.ts'
import { readAlgorithm, readPublicKey } from './keys.ts'
import { readName } from './name.ts'
import { describePemType, splitPem } from './pem.ts'
import { isSignedBy } from './signature.ts'

const PEM_TYPE = 'CERTIFICATE REQUEST'
const REQUEST = 'request'

/**
 * Reads a certificate signing request (PKCS #10, RFC 2986) in PEM. Ignores its attributes, such as requested extensions.
 *
 * @returns the subject's Name, the key, and its kind
 * @throws Unreadable if the request is malformed, its key type is not supported, or it was not signed with its key
 */
export function readCsr(pem: string) {
  const der = readDer(pem)
  const [info, algorithm, signature, ...others] = sliceElements(der, REQUEST)
  const [version, subject, keyInfo] = info ? sliceElements(info, REQUEST) : []
  if (!info || !algorithm || !version || !subject || !keyInfo || others.length > 0) throw malformedError(REQUEST)
  if (readNatural(parse(version), 'version') !== 0n) throw new Unreadable('its version is not 1')
  readName(subject, 'subject')
  const publicKey = readPublicKey(keyInfo)
  const signed = {
    tbs: info,
    signatureAlgorithm: readAlgorithm(parse(algorithm), 'signature algorithm'),
    signature: readWholeBits(signature && parse(signature), 'signature'),
  }
  if (!isSignedBy(publicKey, signed)) throw new Unreadable('it is not signed by its own key')
  const [keyAlgorithm, bits] = readChildren(parse(keyInfo), REQUEST)
  return {
    subject: parse(subject),
    key: certifiedKey(keyAlgorithm as Asn1, readWholeBits(bits, REQUEST)), // `readPublicKey` has already read the key.
    keyType: publicKey.kind,
  }
}

function readDer(pem: string): Uint8Array {
  const { blocks, problem } = splitPem(pem)
  const [block, second] = blocks
  if (problem !== undefined) throw new Unreadable(problem)
  if (!block || second) throw new Unreadable(`it has ${blocks.length} PEM blocks, not one`)
  if (block.type !== PEM_TYPE) throw new Unreadable(`it is a PEM block of ${describePemType(block.type)}`)
  if (block.der) return block.der
  throw new Unreadable(block.damage)
}

/** Checks a certificate signing request (PKCS #10, PEM). Returns the problem as a fragment for a message, or undefined if there is none. */
export function requestProblem(pem: string): string | undefined {
  return readOr(
    () => void readCsr(pem),
    (problem) => problem,
  )
}
