import { binaryOf, bytesOf } from './bytes.ts'

const COLUMNS = 64

/** One "-----BEGIN …-----" block of a PEM text. */
export interface PemBlock {
  /** The label, for example `CERTIFICATE`. */
  readonly type: string
  /** Whether its RFC 1421 headers say that the content is encrypted (`Proc-Type: 4,ENCRYPTED`). */
  readonly encrypted: boolean
  /** The decoded content, or undefined where it is not base64. */
  readonly der: Uint8Array | undefined
}

/** What a PEM text holds. */
export interface Pem {
  /** The complete blocks, in the text's order. */
  readonly blocks: readonly PemBlock[]
  /** The label of a block that has no END line of its own. Nothing after it is read. */
  readonly unended?: string
  /** Whether there is a "-----BEGIN" that opens no block, for example because the line breaks are lost. */
  readonly stray: boolean
}

/**
 * Splits a text into its PEM blocks (RFC 7468). Text outside the blocks is ignored, lines end with LF or CRLF, and a
 * BEGIN or END counts only on a line of its own. Takes time linear in the text's length. Never throws.
 */
export function splitPem(text: string): Pem {
  const blocks: PemBlock[] = []
  let open: { type: string; lines: string[] } | undefined
  let begins = 0
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end).trimEnd()
    at = end + 1
    const begin = label(line, '-----BEGIN ')
    if (begin !== undefined) {
      if (open) break
      begins++
      open = { type: begin, lines: [] }
    } else if (open && line.startsWith('-----END ')) {
      if (label(line, '-----END ') !== open.type) break
      blocks.push(readBlock(open.type, open.lines))
      open = undefined
    } else if (open) {
      open.lines.push(line)
    }
  }
  const stray = begins === 0 && text.includes('-----BEGIN')
  return open ? { blocks, stray, unended: open.type } : { blocks, stray }
}

/**
 * Writes one block in the form that responses carry (decisions, "TLS certificates"): base64 in 64 columns, "\n" line
 * ends, one at the end. A chain is the concatenation of its blocks.
 */
export function writePem(type: string, der: Uint8Array): string {
  const base64 = btoa(binaryOf(der))
  let body = ''
  for (let at = 0; at < base64.length; at += COLUMNS) body += `${base64.slice(at, at + COLUMNS)}\n`
  return `-----BEGIN ${type}-----\n${body}-----END ${type}-----\n`
}

/** Whether a label is one of the many for private keys. */
export function isKeyType(type: string): boolean {
  return type.endsWith('PRIVATE KEY')
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

// Only well-formed labels count, because labels appear in messages: with lost line breaks the rest of a line is a key.
function label(line: string, start: string): string | undefined {
  if (!line.startsWith(start) || !line.endsWith('-----') || line.length > 100) return undefined
  const name = line.slice(start.length, -5)
  return /^[A-Z0-9][A-Z0-9 .]*$/.test(name) ? name : undefined
}

function readBlock(type: string, lines: readonly string[]): PemBlock {
  if (!lines[0]?.includes(':')) return { type, encrypted: false, der: decode(lines) }
  const blank = lines.indexOf('')
  const headers = blank === -1 ? lines : lines.slice(0, blank)
  const encrypted = headers.some((line) => line.startsWith('Proc-Type:') && line.includes('ENCRYPTED'))
  return { type, encrypted, der: decode(lines.slice(headers.length)) }
}

function decode(lines: readonly string[]): Uint8Array | undefined {
  const base64 = lines.join('').replace(/[ \t]/g, '')
  if (base64 === '' || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined
  return bytesOf(atob(base64))
}
