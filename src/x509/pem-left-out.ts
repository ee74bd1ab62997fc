import { bytesOf, numberOf } from './bytes.ts'

/** What joins the lines before and after a block: part of nothing that is looked for. */
const GAP = '|'
/** What is neither base64 nor a dash, line breaks that are written out included. */
const NEITHER = /\\[nr]|[^A-Za-z0-9+/-]/g
/** A BEGIN or END line from which blanks and the like were taken. */
const BOUNDARY = /-----(?:BEGIN|END)[A-Z0-9]+-----/
/**
 * How the base64 of a SEQUENCE begins that holds a SEQUENCE (0x30) or an INTEGER (0x02) first, by the bytes of its length:
 * 30 82 .. .. 30, 30 81 .. 30 or 30 .. 30, and the same with 02.
 */
const CONTENT = new RegExp(
  ['MII..(?:[DTjz][A-D]|[AQgw][I-L])', 'MI[GH].(?:M[A-P]|A[g-v])', 'M[C-H][AEIMQUYcgkosw048][wC]'].join('|'),
  'g',
)
/** Characters of base64 that hold the two headers of what is looked for. */
const HEADERS = 16

/**
 * Looks for a block among the lines outside of blocks (undefined stands for the lines of a block): one that is not read
 * because its BEGIN or END line is spoilt. All but base64 and dashes is passed over, so no blank, line break or invisible
 * character hides one. Returns a fragment for messages, or undefined where there is nothing.
 */
export function leftOut(lines: readonly (string | undefined)[]): string | undefined {
  const solid = lines.map((line) => (line === undefined ? GAP : line.replace(NEITHER, '')))
  const boundary = solid.join('').search(BOUNDARY)
  if (boundary !== -1) return `line ${lineOf(solid, boundary)} has a BEGIN or END line that is torn apart`
  const bare = solid.map((line) => line.replaceAll('-', ''))
  const text = bare.join('')
  for (const { index } of text.matchAll(CONTENT)) {
    if (isContent(text, index)) return `line ${lineOf(bare, index)} has base64 that stands in no block`
  }
  return undefined
}

function lineOf(solid: readonly string[], at: number): number {
  let end = 0
  return (
    solid.findIndex((line) => {
      end += line.length
      return at < end
    }) + 1
  )
}

/** Whether here begins DER as certificates, keys and their like have it: a SEQUENCE that begins with a SEQUENCE or version. */
function isContent(text: string, at: number): boolean {
  const base64 = text.slice(at, at + HEADERS)
  if (base64.length < HEADERS || /[^A-Za-z0-9+/]/.test(base64)) return false
  const bytes = bytesOf(atob(base64))
  const outer = header(bytes, 0)
  if ((text.length - at) * 3 < (outer.content + outer.length) * 4) return false
  const [tag, length, version = 2] = bytes.subarray(outer.content)
  // The version of a key, 0 or 1.
  if (tag === 0x02) return length === 1 && version < 2
  const inner = header(bytes, outer.content)
  if (inner.length >= outer.length) return false
  // A version, a serial number, or an algorithm.
  const [first = 0, size = 0xff] = bytes.subarray(inner.content)
  return first === 0xa0 ? size === 3 : [0x02, 0x06, 0x30].includes(first) && size < 0x20
}

function header(bytes: Uint8Array, at: number): { content: number; length: number } {
  const first = bytes[at + 1] ?? 0
  const count = first & 0x80 ? first & 0x7f : 0
  const content = at + 2 + count
  return { content, length: count > 0 ? Number(numberOf(bytes.subarray(at + 2, content))) : first }
}
