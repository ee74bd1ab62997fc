import { sha1 } from '@noble/hashes/legacy.js'
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import type { CHash } from '@noble/hashes/utils.js'

/** A hash function that signatures can use. */
export interface Hash {
  readonly digest: CHash
  /** The DER of a DigestInfo before the digest, as hex (RFC 8017, 9.2, note 1). */
  readonly digestInfo: string
}

export const hashes = {
  sha1: { digest: sha1, digestInfo: '3021300906052b0e03021a05000414' },
  sha224: { digest: sha224, digestInfo: '302d300d06096086480165030402040500041c' },
  sha256: { digest: sha256, digestInfo: '3031300d060960864801650304020105000420' },
  sha384: { digest: sha384, digestInfo: '3041300d060960864801650304020205000430' },
  sha512: { digest: sha512, digestInfo: '3051300d060960864801650304020305000440' },
} as const satisfies Record<string, Hash>
