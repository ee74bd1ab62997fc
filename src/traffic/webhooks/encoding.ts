import { hexToBytes } from '@noble/hashes/utils.js'
import { toBinary, toBytes } from '../../service/x509/bytes.ts'

const decoders = {
  hex: hexToBytes,
  base64: (text: string) => toBytes(atob(text)),
}

/** Returns the bytes of a string, or undefined if the text is not so encoded. */
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

/** Returns the UTF-8 of a string. */
export function toUtf8(text: string): Uint8Array {
  return utf8.encode(text)
}
