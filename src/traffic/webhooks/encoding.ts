import { hexToBytes } from '@noble/hashes/utils.js'
import { toBinary, toBytes } from '../../service/x509/bytes.ts'

const decoders = {
  hex: hexToBytes,
  base64: (text: string) => toBytes(atob(text)),
}

/** Returns the bytes that a string encodes, or undefined if the string does not use that encoding. */
export function decode(text: string, encoding: keyof typeof decoders): Uint8Array | undefined {
  try {
    return decoders[encoding](text)
  } catch {
    return undefined
  }
}

/** Returns bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(toBinary(bytes))
}

const utf8 = new TextEncoder()

/** Returns a string as UTF-8 bytes. */
export function toUtf8(text: string): Uint8Array {
  return utf8.encode(text)
}
