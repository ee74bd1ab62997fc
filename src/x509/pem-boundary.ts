import { oddCharacter } from './base64.ts'

/** What a line with a BEGIN or END is to PEM (RFC 7468, 3): a boundary of a block, or why it is none. */
export type Boundary =
  | { readonly begins: boolean; readonly type: string; readonly wrong?: undefined }
  | { readonly wrong: string }

/** Blanks and the CR of a CRLF may stand behind. */
const WHOLE = /^-----(BEGIN|END) ([A-Z0-9.]+(?: [A-Z0-9.]+)*)-----[ \t\r]*$/
const START = /-----(?:BEGIN|END)/
const START_HERE = /^-----(?:BEGIN|END)/
/** What begins a line that may have been meant to be a boundary: the word, after dashes of any kind and number. */
const MEANT = /(?:^|[^A-Za-z0-9])[-\p{Pd}]\s*(?:BEGIN|END)(?![A-Za-z])/iu

/**
 * Reads a line as a BEGIN or END line. Undefined where it holds neither. `wrong` is a fragment for messages, to stand
 * behind "line 7", and repeats nothing of the line: beside a BEGIN may stand a key.
 */
export function boundaryOf(line: string): Boundary | undefined {
  const [, word, type] = WHOLE.exec(line) ?? []
  if (type !== undefined) return { begins: word === 'BEGIN', type }
  const [start] = START.exec(line) ?? []
  return start === undefined ? undefined : { wrong: wrongWith(line, start) }
}

/** Why a line that seems to be meant as a BEGIN or END line is none, in the same words. Undefined for other lines. */
export function missedBoundary(line: string): string | undefined {
  if (!MEANT.test(line)) return undefined
  if (/-----\s*(?:BEGIN|END)/i.test(line)) return 'is not a BEGIN or END line: it has other capitals or blanks'
  return 'is not a BEGIN or END line: it does not start with five dashes (U+002D)'
}

function wrongWith(line: string, start: string): string {
  const before = line.slice(0, line.indexOf(start))
  if (before !== '') return wrongBefore(before, start)
  const [whole, label = ''] = /^-----(?:BEGIN|END)([^-]*)-----/.exec(line) ?? []
  if (whole === undefined) return `has no five dashes behind the label of its "${start}"`
  if (!/^ [A-Z0-9.]+(?: [A-Z0-9.]+)*$/.test(label)) {
    return `has a label that is not of capital letters and digits, with one blank before each word`
  }
  return wrongBehind(line.slice(whole.length), start)
}

function wrongBefore(before: string, start: string): string {
  const near = before.slice(0, endWithoutBlanks(before))
  if (near === '') return `is indented: its "${start}" must come first`
  if (/\\[nr]$/.test(near)) return WRITTEN_OUT
  const odd = oddCharacter(near, near.length - 1)
  if (odd !== undefined) return `has ${odd} before its "${start}"`
  if (near.endsWith('-')) return `has more than five dashes before its "${start.slice(5)}"`
  return `has text before its "${start}", without a line break between`
}

function wrongBehind(behind: string, start: string): string {
  const near = behind.replace(/^[ \t]+/, '')
  if (/^\\[nr]/.test(near)) return WRITTEN_OUT
  const odd = oddCharacter(near, 0)
  if (odd !== undefined) return `has ${odd} behind its "${start} …-----"`
  const [next] = START_HERE.exec(near) ?? []
  if (next !== undefined) return `has "${next}" behind its "${start} …-----", without a line break between`
  return `has text behind its "${start} …-----", without a line break between`
}

const WRITTEN_OUT = 'has "\\n" or "\\r" written out, as two characters, in place of a line break'

function endWithoutBlanks(text: string): number {
  let end = text.length
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--
  return end
}
