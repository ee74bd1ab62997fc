import { counted } from '../schema/text.ts'
import { binaryOf, bytesOf } from './bytes.ts'

const COLUMNS = 64

/** A block of a PEM text, with its decoded bytes or what is wrong with its base64. */
export type PemBlock = Decoded & {
  /** The label, for example `CERTIFICATE`. Whatever a client sent: messages name it by {@link typeText}. */
  readonly type: string
  /** True if it has headers (RFC 1421) before its base64. */
  readonly hasHeaders?: true
  /** True if these headers say that the content is encrypted (`Proc-Type: 4,ENCRYPTED`). */
  readonly encrypted: boolean
}

type Decoded =
  | { readonly der: Uint8Array; readonly damage?: undefined }
  | { readonly der?: undefined; readonly damage: string }

/** The complete blocks of a text, in its order, and the problem, if any, that keeps other blocks from being read. */
export interface Pem {
  readonly blocks: readonly PemBlock[]
  readonly problem?: string | undefined
}

/** A block whose END line has not come yet. `number` is the one of its BEGIN line, from 1 on. */
interface OpenBlock {
  readonly type: string
  readonly number: number
  readonly lines: string[]
}

/**
 * Splits a text into its PEM blocks (RFC 7468). Text outside the blocks is ignored, and lines end with LF or CRLF. A
 * BEGIN or END is a line of its own. Any other one is a problem, so that no block is left out in silence
 * (rules: pem#blocks). Takes time linear in the text's length. Never throws, and its messages repeat nothing of the text.
 * Without forge, which passes over what it cannot read.
 */
export function splitPem(text: string): Pem {
  const blocks: PemBlock[] = []
  /** The lines of the text, those of blocks emptied. */
  const outside: string[] = []
  let open: OpenBlock | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1
    const boundary = boundaryOf(line)
    if (boundary?.wrong !== undefined) return { blocks, problem: `line ${number} ${boundary.wrong}` }
    if (boundary === undefined) {
      if (open) open.lines.push(line.trimEnd())
      outside.push(open ? '' : line)
      continue
    }
    outside.push('')
    const problem = misplaced(boundary, number, open)
    if (problem !== undefined) return { blocks, problem: missed(outside) ?? problem }
    if (open) blocks.push(readBlock(open, outside))
    open = open ? undefined : { type: boundary.type, number, lines: [] }
  }
  if (open) return { blocks, problem: `the block that line ${open.number} begins has no END line` }
  const lost = leftOut(outside)
  return lost === undefined && blocks.length > 0 ? { blocks } : { blocks, problem: missed(outside) ?? lost }
}

/** Writes a block as responses carry it (rules: pem#writing): base64 in 64 columns, "\n" line ends, one at the end. */
export function writePem(type: string, der: Uint8Array): string {
  const base64 = btoa(binaryOf(der))
  let body = ''
  for (let at = 0; at < base64.length; at += COLUMNS) body += `${base64.slice(at, at + COLUMNS)}\n`
  return `-----BEGIN ${type}-----\n${body}-----END ${type}-----\n`
}

/** Reads a complete block. Its headers are put among the lines `outside` of blocks: nothing must be lost in them either. */
function readBlock({ type, number, lines }: OpenBlock, outside: string[]): PemBlock {
  if (!lines[0]?.includes(':')) return { type, encrypted: false, ...decode(lines, number) }
  const blank = lines.indexOf('')
  const headers = lines.slice(0, blank === -1 ? lines.length : blank)
  outside.splice(number, headers.length, ...headers)
  const encrypted = headers.some((header) => header.startsWith('Proc-Type:') && header.includes('ENCRYPTED'))
  return { type, hasHeaders: true, encrypted, ...decode(lines.fill('', 0, headers.length), number) }
}

// Base64 (RFC 4648, 4).

/** Decodes base64 that is broken into lines, with blanks anywhere in it. `begin` is the number of the line before. */
function decode(lines: readonly string[], begin: number): Decoded {
  const base64 = lines.join('').replace(/[ \t]/g, '')
  if (base64 === '') return { damage: `the block that line ${begin} begins is empty` }
  const isWhole = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
  if (isWhole) return { der: bytesOf(atob(base64)) }
  const characters = counted(base64.length, 'character')
  const length = `the base64 of the block that line ${begin} begins has ${characters}, not a multiple of four`
  return { damage: wrongCharacter(lines, begin) ?? length }
}

function wrongCharacter(lines: readonly string[], begin: number): string | undefined {
  let padding = 0
  for (const [index, text] of lines.entries()) {
    for (const { 0: character, index: at } of text.matchAll(/[^ \t]/gu)) {
      const place = `character ${at + 1} of line ${begin + 1 + index}`
      if (!/[A-Za-z0-9+/=]/.test(character)) return `${place} is ${oddCharacter(character) ?? 'not base64'}`
      if (character === '=') padding++
      else if (padding > 0) return `${place} comes after the "=" that ends the base64`
      if (padding > 2) return `${place} is a third "="`
    }
  }
  return undefined
}

/** Names a character that nobody sees or that is not ASCII. Undefined for any other, since it may be part of a secret. */
function oddCharacter(character: string): string | undefined {
  const point = character.codePointAt(0) ?? 0
  if (point > 0x20 && point < 0x7f) return undefined
  if (point === 0x0d) return 'a carriage return (CR) without a line feed (LF)'
  if (point === 0xfeff) return 'a byte order mark (U+FEFF)'
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}

// BEGIN and END lines (RFC 7468, 3).

interface BoundaryLine {
  readonly begins: boolean
  readonly type: string
  readonly wrong?: undefined
}

/** Blanks and the CR of a CRLF may follow. */
const WHOLE = /^-----(BEGIN|END) ([A-Z0-9.]+(?: [A-Z0-9.]+)*)-----[ \t\r]*$/
/** The word of a boundary at the start of a line, after dashes of any kind and number: perhaps meant to be one. */
const MEANT = /(?:^|[^A-Za-z0-9])[-\p{Pd}]\s*(?:BEGIN|END)(?![A-Za-z])/iu
/** A possible line of base64, even without its first characters. No word, path or hexadecimal number matches. */
const LONG_RUN = /[A-Za-z0-9+/]{60,}/g
const OF_BASE64 = [/[A-Z]/, /[a-z]/, /[0-9]/, /[G-Zg-z]/]

/** Reads a line as a BEGIN or END line. Undefined where it holds neither; `wrong` completes "line 7 …". */
function boundaryOf(line: string): BoundaryLine | { readonly wrong: string } | undefined {
  const [, word, type] = WHOLE.exec(line) ?? []
  if (type !== undefined) return { begins: word === 'BEGIN', type }
  const [start] = /-----(?:BEGIN|END)/.exec(line) ?? []
  return start === undefined ? undefined : { wrong: wrongWith(line.replace(/\r$/, ''), start) }
}

function wrongWith(line: string, start: string): string {
  if (/\\[nr]/.test(line)) return 'has "\\n" or "\\r" written out, as two characters, in place of a line break'
  const [odd] = /[^\t\x20-\x7e]/u.exec(line) ?? []
  if (odd !== undefined) return `has ${oddCharacter(odd)} beside its "${start}"`
  return `must have "${start} LABEL-----" and nothing else, with a label of capital letters and digits`
}

function misplaced({ begins, type }: BoundaryLine, number: number, open: OpenBlock | undefined): string | undefined {
  if (begins) {
    return open && `line ${number} begins a block before the one that line ${open.number} begins has its END line`
  }
  if (!open) return `line ${number} ends a block that no line begins`
  return type === open.type ? undefined : `line ${number} ends a block of another type than line ${open.number} begins`
}

/** Finds the first line outside of blocks that seems to be meant as a BEGIN or END line. */
function missed(outside: string[]): string | undefined {
  const index = outside.findIndex((line) => MEANT.test(line))
  return index === -1 ? undefined : `line ${index + 1} is not a BEGIN or END line: these have five dashes and capitals`
}

/** Finds base64 among the lines outside of blocks: that of a block which is not read because its BEGIN or END line is spoilt. */
function leftOut(outside: string[]): string | undefined {
  const index = outside.findIndex((line) => hasBase64(line.replace(/\\[nr]/g, ' ')))
  return index === -1 ? undefined : `line ${index + 1} has base64 outside a block`
}

function hasBase64(line: string): boolean {
  return [...line.matchAll(LONG_RUN)].some(([run]) => OF_BASE64.every((each) => each.test(run)))
}

// Labels.

/** The labels that messages may repeat. Any other may be a secret in the place of a label. */
const KNOWN = [
  /^((X509|TRUSTED|ATTRIBUTE) )?CERTIFICATE$/,
  /^(NEW )?CERTIFICATE REQUEST$/,
  /^(RSA )?PUBLIC KEY$/,
  /^((ENCRYPTED|RSA|EC|DSA|OPENSSH) )?PRIVATE KEY$/,
  /^(EC|DH|X9\.42 DH|DSA) PARAMETERS$/,
  /^(X509 CRL|PKCS7|CMS)$/,
]

/** The type of a PEM block for messages: `type X509 CRL`, or `an unknown type`. */
export function typeText(type: string): string {
  return KNOWN.some((label) => label.test(type)) ? `type ${type}` : 'an unknown type'
}
