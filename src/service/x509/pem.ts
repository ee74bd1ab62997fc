import { formatCount } from '../../core/schema/text.ts'
import { toBinary, toBytes } from './bytes.ts'

const COLUMNS = 64

/** A block in a PEM text, with either its decoded bytes or the problem with its base64. */
export type PemBlock = DecodeResult & {
  /** The label, for example `CERTIFICATE`. A client can send any label, so messages must use {@link describePemType}. */
  readonly type: string
  /** True if headers (RFC 1421) precede its base64. */
  readonly hasHeaders?: true
  /** True if the headers state that the content is encrypted (`Proc-Type: 4,ENCRYPTED`). */
  readonly encrypted: boolean
}

type DecodeResult =
  | { readonly der: Uint8Array; readonly damage?: undefined }
  | { readonly der?: undefined; readonly damage: string }

/** The complete blocks in a string, in order, and the problem, if any, that prevents other blocks from being read. */
export interface Pem {
  readonly blocks: readonly PemBlock[]
  readonly problem?: string | undefined
}

/** A block whose END line has not been read yet. `number` is the line number of its BEGIN line, counted from 1. */
interface OpenBlock {
  readonly type: string
  readonly number: number
  readonly lines: string[]
}

/**
 * Splits a string into its PEM blocks (RFC 7468). Ignores text outside the blocks. Lines may end with LF or CRLF. A BEGIN or END that isn't
 * on its own line is a problem, so blocks are never silently ignored (rules: pem#blocks). The time is linear in the length of the text.
 * Never throws. Its messages do not repeat any of the text. forge is not used, because it skips blocks that it cannot read.
 */
export function splitPem(text: string): Pem {
  const blocks: PemBlock[] = []
  /** All lines of the text. Lines that belong to a block are "". */
  const outside: string[] = []
  let open: OpenBlock | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1
    const boundary = readBoundary(line)
    if (boundary?.problem !== undefined) return { blocks, problem: `line ${number} ${boundary.problem}` }
    if (boundary === undefined) {
      if (open) open.lines.push(line.trimEnd())
      outside.push(open ? '' : line)
      continue
    }
    outside.push('')
    const problem = placementProblem(boundary, number, open)
    if (problem !== undefined) return { blocks, problem: findMisspeltBoundary(outside) ?? problem }
    if (open) blocks.push(readBlock(open, outside))
    open = open ? undefined : { type: boundary.type, number, lines: [] }
  }
  if (open) return { blocks, problem: `the block that starts at line ${open.number} has no END line` }
  const stray = findStrayBase64(outside)
  return stray === undefined && blocks.length > 0
    ? { blocks }
    : { blocks, problem: findMisspeltBoundary(outside) ?? stray }
}

/** Writes a block for responses (rules: pem#writing): base64 wrapped at 64 columns; every line, including the last, ends with "\n". */
export function writePem(type: string, der: Uint8Array): string {
  const base64 = btoa(toBinary(der))
  let body = ''
  for (let at = 0; at < base64.length; at += COLUMNS) body += `${base64.slice(at, at + COLUMNS)}\n`
  return `-----BEGIN ${type}-----\n${body}-----END ${type}-----\n`
}

/** Reads a complete block. Adds its headers to the lines `outside` of blocks, which must not contain a stray block. */
function readBlock({ type, number, lines }: OpenBlock, outside: string[]): PemBlock {
  if (!lines[0]?.includes(':')) return { type, encrypted: false, ...decode(lines, number) }
  const blank = lines.indexOf('')
  const headers = lines.slice(0, blank === -1 ? lines.length : blank)
  for (const [index, header] of headers.entries()) outside[number + index] = header
  const encrypted = headers.some((header) => header.startsWith('Proc-Type:') && header.includes('ENCRYPTED'))
  return { type, hasHeaders: true, encrypted, ...decode(lines.fill('', 0, headers.length), number) }
}

// Base64 (RFC 4648, 4).

/** Decodes base64 that is split into lines, with spaces anywhere. `begin` is the number of the preceding line. */
function decode(lines: readonly string[], begin: number): DecodeResult {
  const base64 = lines.join('').replace(/[ \t]/g, '')
  if (base64 === '') return { damage: `the block that starts at line ${begin} is empty` }
  const isWhole = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
  if (isWhole) return { der: toBytes(atob(base64)) }
  const characters = formatCount(base64.length, 'character')
  const length = `the base64 of the block that starts at line ${begin} has ${characters}, not a multiple of four`
  return { damage: findCharacterProblem(lines, begin) ?? length }
}

function findCharacterProblem(lines: readonly string[], begin: number): string | undefined {
  let padding = 0
  for (const [index, text] of lines.entries()) {
    for (const { 0: character, index: at } of text.matchAll(/[^ \t]/gu)) {
      const place = `character ${at + 1} of line ${begin + 1 + index}`
      if (!/[A-Za-z0-9+/=]/.test(character)) return `${place} is ${describeOddCharacter(character) ?? 'not base64'}`
      if (character === '=') padding++
      else if (padding > 0) return `${place} comes after the "=" that ends the base64`
      if (padding > 2) return `${place} is a third "="`
    }
  }
  return undefined
}

/** Names a character that is invisible or not ASCII. Returns undefined for any other character, which may be part of a secret. */
function describeOddCharacter(character: string): string | undefined {
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
  readonly problem?: undefined
}

/** A BEGIN or END line. Spaces and the CR of a CRLF may follow. */
const BOUNDARY = /^-----(BEGIN|END) ([A-Z0-9.]+(?: [A-Z0-9.]+)*)-----[ \t\r]*$/
/** A line that looks like a misspelled boundary: BEGIN or END after any number of dashes of any kind. */
const LIKELY_BOUNDARY = /(?:^|[^A-Za-z0-9])[-\p{Pd}]\s*(?:BEGIN|END)(?![A-Za-z])/iu
/** A run that can be base64, even without its first characters. It counts as base64 if it contains all of BASE64_KINDS. */
const LONG_RUN = /[A-Za-z0-9+/]{60,}/g
const BASE64_KINDS = [/[A-Z]/, /[a-z]/, /[0-9]/, /[G-Zg-z]/]

/** Reads a BEGIN or END line. Returns undefined if the line contains neither. `problem` completes "line 7 …". */
function readBoundary(line: string): BoundaryLine | { readonly problem: string } | undefined {
  const [, word, type] = BOUNDARY.exec(line) ?? []
  if (type !== undefined) return { begins: word === 'BEGIN', type }
  const [start] = /-----(?:BEGIN|END)/.exec(line) ?? []
  return start === undefined ? undefined : { problem: boundaryProblem(line.replace(/\r$/, ''), start) }
}

function boundaryProblem(line: string, start: string): string {
  if (/\\[nr]/.test(line)) return 'has "\\n" or "\\r" written out, as two characters, instead of a line break'
  const [odd] = /[^\t\x20-\x7e]/u.exec(line) ?? []
  if (odd !== undefined) return `has ${describeOddCharacter(odd)} next to its "${start}"`
  return `must have "${start} LABEL-----" and nothing else, with a label of capital letters and digits`
}

function placementProblem(
  { begins, type }: BoundaryLine,
  number: number,
  open: OpenBlock | undefined,
): string | undefined {
  if (begins) {
    return open && `line ${number} starts a block before the END line of the block that starts at line ${open.number}`
  }
  if (!open) return `line ${number} ends a block that was never started`
  return type === open.type
    ? undefined
    : `line ${number} ends a block of a different type than the one that starts at line ${open.number}`
}

/** Finds the first line outside of blocks that seems intended as a BEGIN or END line. */
function findMisspeltBoundary(outside: string[]): string | undefined {
  const index = outside.findIndex((line) => LIKELY_BOUNDARY.test(line))
  return index === -1
    ? undefined
    : `line ${index + 1} is not a BEGIN or END line: such a line has five dashes and capital letters`
}

/** Finds base64 outside of blocks, which must belong to a block whose BEGIN or END line is damaged. */
function findStrayBase64(outside: string[]): string | undefined {
  const index = outside.findIndex((line) => hasBase64(line.replace(/\\[nr]/g, ' ')))
  return index === -1 ? undefined : `line ${index + 1} has base64 outside a block`
}

function hasBase64(line: string): boolean {
  return [...line.matchAll(LONG_RUN)].some(([run]) => BASE64_KINDS.every((kind) => kind.test(run)))
}

// Labels.

/** The labels that messages can repeat. Any other label may be a misplaced secret. */
const KNOWN_LABELS = [
  /^((X509|TRUSTED|ATTRIBUTE) )?CERTIFICATE$/,
  /^(NEW )?CERTIFICATE REQUEST$/,
  /^(RSA )?PUBLIC KEY$/,
  /^((ENCRYPTED|RSA|EC|DSA|OPENSSH) )?PRIVATE KEY$/,
  /^(EC|DH|X9\.42 DH|DSA) PARAMETERS$/,
  /^(X509 CRL|PKCS7|CMS)$/,
]

/** Returns the type of a PEM block for messages: `type X509 CRL` or `an unknown type`. */
export function describePemType(type: string): string {
  return KNOWN_LABELS.some((label) => label.test(type)) ? `type ${type}` : 'an unknown type'
}
