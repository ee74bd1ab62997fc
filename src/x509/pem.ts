import { type Decoded, decode, type Line } from './base64.ts'
import { binaryOf } from './bytes.ts'
import { boundaryOf, missedBoundary } from './pem-boundary.ts'
import { leftOut } from './pem-left-out.ts'

const COLUMNS = 64

/** One "-----BEGIN …-----" block of a PEM text. */
export type PemBlock = Decoded & {
  /** The label, for example `CERTIFICATE`. Whatever a client sent: messages name it by {@link typeText}. */
  readonly type: string
  /** Whether its RFC 1421 headers say that the content is encrypted (`Proc-Type: 4,ENCRYPTED`). */
  readonly encrypted: boolean
}

/** What a PEM text holds. */
export interface Pem {
  /** The complete blocks, in the text's order. */
  readonly blocks: readonly PemBlock[]
  /**
   * What keeps blocks from being read: a fragment for messages with the number of the line. It repeats nothing of the
   * text. Undefined where every block was read.
   */
  readonly problem?: string
}

/** A block whose END line has not come yet. `number` is the one of its BEGIN line. */
interface OpenBlock {
  readonly type: string
  readonly number: number
  readonly lines: Line[]
}

/**
 * Splits a text into its PEM blocks (RFC 7468). Text outside the blocks is ignored, lines end with LF or CRLF, and a
 * BEGIN or END is a line of its own: any other one is a problem, so that no block is left out in silence
 * (rules: pem#blocks). Takes time linear in the text's length. Never throws.
 */
export function splitPem(text: string): Pem {
  const blocks: PemBlock[] = []
  const outside: (string | undefined)[] = []
  let open: OpenBlock | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1
    const boundary = boundaryOf(line)
    if (boundary?.wrong !== undefined) return { blocks, problem: `line ${number} ${boundary.wrong}` }
    if (boundary === undefined) {
      if (open) open.lines.push({ text: withoutBlanksBehind(line), number })
      outside.push(open ? undefined : line)
      continue
    }
    outside.push(undefined)
    const problem = misplaced(boundary, number, open)
    if (problem !== undefined) return { blocks, problem: missed(outside) ?? problem }
    if (open) blocks.push(readBlock(open, outside))
    open = open ? undefined : { type: boundary.type, number, lines: [] }
  }
  if (open) return { blocks, problem: `the block that line ${open.number} begins has no END line` }
  const lost = leftOut(outside)
  const problem = lost === undefined && blocks.length > 0 ? undefined : (missed(outside) ?? lost)
  return problem === undefined ? { blocks } : { blocks, problem }
}

/**
 * Writes one block in the form that responses carry (rules: pem#writing): base64 in 64 columns, "\n" line
 * ends, one at the end. A chain is the concatenation of its blocks.
 */
export function writePem(type: string, der: Uint8Array): string {
  const base64 = btoa(binaryOf(der))
  let body = ''
  for (let at = 0; at < base64.length; at += COLUMNS) body += `${base64.slice(at, at + COLUMNS)}\n`
  return `-----BEGIN ${type}-----\n${body}-----END ${type}-----\n`
}

/** What is wrong with a BEGIN or END where it stands. */
function misplaced(
  { begins, type }: { readonly begins: boolean; readonly type: string },
  number: number,
  open: OpenBlock | undefined,
): string | undefined {
  if (begins) {
    return open && `line ${number} begins a block before the one that line ${open.number} begins has its END line`
  }
  if (!open) return `line ${number} ends a block that no line begins`
  return type === open.type ? undefined : `line ${number} ends a block of another type than line ${open.number} begins`
}

/** The first line outside of blocks that seems to be meant as a BEGIN or END line. */
function missed(outside: readonly (string | undefined)[]): string | undefined {
  for (const [index, line] of outside.entries()) {
    const wrong = line === undefined ? undefined : missedBoundary(line)
    if (wrong !== undefined) return `line ${index + 1} ${wrong}`
  }
  return undefined
}

/** Reads a complete block. Its headers are put among the lines `outside` of blocks: nothing must be lost in them either. */
function readBlock({ type, number, lines }: OpenBlock, outside: (string | undefined)[]): PemBlock {
  if (!lines[0]?.text.includes(':')) return { type, encrypted: false, ...decode(lines, number) }
  const blank = lines.findIndex(({ text }) => text === '')
  const headers = blank === -1 ? lines : lines.slice(0, blank)
  for (const header of headers) outside[header.number - 1] = header.text
  const encrypted = headers.some(({ text }) => text.startsWith('Proc-Type:') && text.includes('ENCRYPTED'))
  return { type, encrypted, ...decode(lines.slice(headers.length), number) }
}

function withoutBlanksBehind(line: string): string {
  let end = line.length
  while (end > 0 && ' \t\r'.includes(line.charAt(end - 1))) end--
  return line.slice(0, end)
}
