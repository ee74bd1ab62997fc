import { Parser } from '../../../node_modules/@marcbachmann/cel-js/lib/parser.js'
import { utf8Bytes } from '../schema/platform.ts'

/** The lexer's token type for bytes. */
const BYTES = 31

/** Matches everything that can come before a token. */
const BLANK = /(?:[\t\n\f\r ]|\/\/.*)*/y
const FRACTION = /\.\d/y
/** A raw string: a backslash does not escape its closing quote. */
const RAW_TEXT = /(['"])(?:\1\1([\s\S]*?)\1\1\1|(?!\1\1)((?:(?!\1)[^\n\r])*)\1)/y
const RAW_BYTES = /[bB][rR](["'])/y

/** Adds literals that the CEL library's shared lexer doesn't support: `.5`, `br'\d'`, `r'\'`, and `b'é'`. */
export function extendLexer(): void {
  const { lexer } = new Parser({}, { enableOptionalTypes: false, findMacro: () => undefined })
  if (Object.hasOwn(lexer, 'nextToken')) return
  const { nextToken, readString, _closeQuotedString } = lexer
  const match = (pattern: RegExp) => {
    pattern.lastIndex = lexer.pos
    return pattern.exec(lexer.input)
  }
  lexer.nextToken = () => {
    lexer.pos += match(BLANK)?.[0].length ?? 0
    if (match(FRACTION)) return lexer.readNumber()
    const [, quote] = match(RAW_BYTES) ?? []
    if (quote === undefined) return nextToken.call(lexer)
    const start = lexer.pos
    lexer.pos += 2
    return lexer.token(start, BYTES, utf8Bytes(String(lexer.readString(quote, 'r').tokenValue)))
  }
  lexer.readString = (quote, prefix) => {
    const [all, , triple, single = ''] = (/r/i.test(prefix ?? '') && match(RAW_TEXT)) || []
    if (all === undefined) return readString.call(lexer, quote, prefix)
    const start = lexer.pos
    lexer.pos += all.length
    return _closeQuotedString.call(lexer, start + 1, triple ?? single, prefix, start)
  }
  // The lexer treats each character of a bytes literal as one byte.
  lexer._closeQuotedString = (start, text, prefix, pos) => {
    const isBytes = prefix === 'b' || prefix === 'B'
    const read = isBytes ? Array.from(utf8Bytes(text), (byte) => String.fromCharCode(byte)).join('') : text
    return _closeQuotedString.call(lexer, start, read, prefix, pos)
  }
}
