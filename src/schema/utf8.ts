import { platform } from './platform.ts'

/** A text in UTF-8. */
export function utf8Bytes(text: string): Uint8Array {
  return new (platform('TextEncoder'))().encode(text)
}

/** The length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return utf8Bytes(text).length
}

/**
 * The text that bytes of UTF-8 stand for, a byte order mark included.
 *
 * @throws TypeError where they are not UTF-8
 */
export function utf8Text(bytes: Uint8Array): string {
  return new (platform('TextDecoder'))('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
