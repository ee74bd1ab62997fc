import { readInterpolations } from './interpolations.ts'

/** Matches a token in a Terraform object. Alternatives within a string do not overlap, so the time is linear. */
const TOKEN =
  /([ \t]+)|(\r?\n)|((?:#|\/\/)[^\r\n]*|\/\*[\s\S]*?\*\/)|("(?:\\.|[^"\\\r\n$]|\$\$\{|\$\{(?:[^{}"]|"(?:\\.|[^"\\])*")*\}|\$(?!\{|\$\{))*")|(-?\d[\d.eE+-]*|(?:true|false|null)\b(?![ \t]*[=:]))|([A-Za-z_][\w-]*)(?=[ \t]*[=:](?!=))|([{}[\],=:])/y

/** A Terraform object as YAML, with the same lines and approximately the same columns. */
interface ReadObject {
  readonly text: string
  /** The position after the object. */
  readonly end: number
  /** The interpolations that were intended for CEL, with their positions in the file. */
  readonly ofCel: readonly { readonly source: string; readonly index: number }[]
}

/**
 * Reads the Terraform object that begins at a position. Returns undefined if Terraform computes part of it, that is, if it contains calls,
 * references, conditions, or loops.
 */
export function readObject(file: string, start: number): ReadObject | undefined {
  const open: string[] = []
  const token = new RegExp(TOKEN)
  token.lastIndex = start
  const ofCel: { source: string; index: number }[] = []
  let text = ''
  // In an object, the end of a line is the end of a value.
  let isAfterValue = false
  for (let found = token.exec(file); found; found = token.exec(file)) {
    const [whole, blank, newline, comment, string, value, key, sign] = found
    if (blank !== undefined) text += ' '.repeat(whole.length)
    else if (comment !== undefined) text += comment.replace(/[^\r\n]/g, ' ')
    else if (newline !== undefined) {
      text += (isAfterValue && open.at(-1) === '{' ? ',' : '') + newline
      isAfterValue = false
    } else if (string !== undefined) {
      const read = readInterpolations(string)
      if (read.structureAt !== undefined) return undefined
      ofCel.push(...read.ofCel.map((each) => ({ ...each, index: each.index + found.index })))
      text += read.text
    } else if (value !== undefined || key !== undefined) text += whole
    else if (sign === '=' || sign === ':') text += /[ \t\r\n]/.test(file.charAt(token.lastIndex)) ? ':' : ': '
    else {
      text += whole
      if (sign === '{' || sign === '[') open.push(whole)
      else if (sign !== ',' && open.pop() !== (sign === '}' ? '{' : '[')) return undefined
      if (open.length === 0) return { text, end: token.lastIndex, ofCel }
    }
    if (blank === undefined && comment === undefined && newline === undefined)
      isAfterValue = string !== undefined || value !== undefined || sign === '}' || sign === ']'
  }
  return undefined
}
