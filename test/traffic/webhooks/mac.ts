import { createHash, createHmac } from 'node:crypto'

/** Returns the message authentication code of a text. */
export const mac = (
  algorithm: 'sha1' | 'sha256' | 'sha512',
  key: string | Buffer,
  text: string,
  encoding: 'hex' | 'base64' = 'hex',
) => createHmac(algorithm, key).update(text).digest(encoding)

/** Returns the hash of a text as hex. */
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
