import { utf8Text } from '../../core/schema/platform.ts'
import { quote } from '../../core/schema/text.ts'
import { toBytes } from './bytes.ts'
import { type Asn1, getTag, malformedError, parse, readChildren, readOid, tags } from './der.ts'
import { attributeOids } from './oids.ts'

const BMP_STRING = 0x1e
const UNIVERSAL_STRING = 0x1c
/** One byte per character, interpreted as Latin-1. */
const T61_STRING = 0x14
/** NumericString, PrintableString, IA5String, and VisibleString: one ASCII byte per character. */
const ASCII: ReadonlySet<number> = new Set([0x12, tags.printableString, 0x16, 0x1a])

/** A distinguished name. */
export interface Name {
  /** The name's DER, exactly as received. Names are compared by these bytes. */
  readonly raw: Uint8Array
  /** The attributes with a known short name (CN, O, OU, L, ST, C, street, postalCode, and E), in the order of the name. */
  readonly attributes: readonly { readonly type: string; readonly value: string }[]
}

/** Reads a Name (RFC 5280, 4.1.2.4). `what` is "issuer" or "subject". */
export function readName(raw: Uint8Array, what: string): Name {
  const attributes: { type: string; value: string }[] = []
  for (const set of readChildren(parse(raw), what)) {
    for (const attribute of readChildren(set, what, tags.set)) {
      const [oid, value] = readChildren(attribute, what)
      const type = findShortName(readOid(oid, what))
      if (type !== undefined) attributes.push({ type, value: readText(value, what) })
    }
  }
  return { raw, attributes }
}

/** Returns an attribute's first value, by its short name, or "" if the name doesn't contain the attribute. */
export function getAttribute(name: Name, type: string): string {
  return name.attributes.find((attribute) => attribute.type === type)?.value ?? ''
}

/** Returns a name in the usual notation: `CN=app.example.com, O=Example`. */
export function formatName(name: Name): string {
  return name.attributes.map(({ type, value }) => `${type}=${value}`).join(', ')
}

/** Formats a name for messages, quoted and truncated to one line: `"CN=app.example.com, O=Example"`. */
export function quoteName(name: Name): string {
  return quote(formatName(name))
}

function findShortName(oid: string): string | undefined {
  return Object.entries(attributeOids).find(([, known]) => known === oid)?.[0]
}

function readText(element: Asn1 | undefined, what: string): string {
  if (!element || typeof element.value !== 'string') throw malformedError(what)
  const text = decodeText(getTag(element), element.value)
  if (text === undefined || /\p{Surrogate}/u.test(text)) throw malformedError(`${what}'s text`)
  return text
}

function decodeText(tag: number, content: string): string | undefined {
  // The parser has already combined the two bytes of each character of a BMPString.
  if (tag === T61_STRING || tag === BMP_STRING) return content
  if (ASCII.has(tag)) return /[^\0-\x7f]/.test(content) ? undefined : content
  if (tag === tags.utf8String) return decodeUtf8(content)
  if (tag === UNIVERSAL_STRING) return decodeUniversal(content)
  return undefined
}

function decodeUtf8(content: string): string | undefined {
  try {
    return utf8Text(toBytes(content))
  } catch {
    return undefined
  }
}

function decodeUniversal(content: string): string | undefined {
  const bytes = toBytes(content)
  if (bytes.length % 4 !== 0) return undefined
  const view = new DataView(bytes.buffer)
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) {
    const point = view.getUint32(at)
    if (point > 0x10ffff) return undefined
    text += String.fromCodePoint(point)
  }
  return text
}
