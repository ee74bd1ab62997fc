import { counted } from '../schema/text.ts'
import { bytesOf } from './bytes.ts'

/** A line of a text and its number, from 1 on. */
export interface Line {
  readonly text: string
  readonly number: number
}

/** Decoded bytes, or what is wrong with the base64: a fragment for messages that repeats nothing of it. */
export type Decoded =
  | { readonly der: Uint8Array; readonly damage?: undefined }
  | { readonly der?: undefined; readonly damage: string }

/**
 * Decodes base64 (RFC 4648, 4) that is broken into lines, with blanks anywhere between its characters. Bits behind the
 * last byte are not looked at. `begin` is the number of the line before.
 */
export function decode(lines: readonly Line[], begin: number): Decoded {
  const base64 = lines.map(({ text }) => text.replace(/[ \t]/g, '')).join('')
  if (base64 === '') return { damage: `the block that line ${begin} begins is empty` }
  const whole = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
  if (whole) return { der: bytesOf(atob(base64)) }
  return { damage: characterDamage(lines) ?? lengthDamage(base64.length, begin) }
}

/** How messages name a character that nobody sees or that is not ASCII, or undefined: any other may be secret. */
export function oddCharacter(text: string, at: number): string | undefined {
  const point = text.codePointAt(at) ?? 0
  if (point > 0x20 && point < 0x7f) return undefined
  if (point === 0x0d) return 'a carriage return (CR) without a line feed (LF)'
  if (point === 0xfeff) return 'a byte order mark (U+FEFF)'
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}

function lengthDamage(characters: number, begin: number): string {
  return `the base64 of the block that line ${begin} begins has ${counted(characters, 'character')}, not a multiple of four`
}

function characterDamage(lines: readonly Line[]): string | undefined {
  let padding = 0
  for (const { text, number } of lines) {
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at)
      if (character === ' ' || character === '\t') continue
      const place = `character ${at + 1} of line ${number}`
      if (!/[A-Za-z0-9+/=]/.test(character)) return `${place} is ${oddCharacter(text, at) ?? 'not base64'}`
      if (character === '=') padding++
      else if (padding > 0) return `${place} stands behind the "=" that ends the base64`
      if (padding > 2) return `${place} is a third "="`
    }
  }
  return undefined
}
