import { options } from 'preact'

/** The characters that reverse or hide the text around them (Unicode, UAX 9). */
const OVERRIDES = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const TEXTS = ['title', 'aria-label']

/** Reveals characters that would reverse or hide others, such as `\u202e` in a name, in all strings on the page. */
export function showOverrides(): void {
  // A text node has no type, and its string takes the place of the properties.
  options.vnode = (node: { type: unknown; props: unknown }) => {
    if (node.type === null) node.props = withEscapes(node.props)
    const properties = Object(node.props)
    if (typeof node.type === 'string')
      for (const name of TEXTS) if (name in properties) properties[name] = withEscapes(properties[name])
  }
}

const withEscapes = (value: unknown) => (typeof value === 'string' ? value.replace(OVERRIDES, toEscape) : value)

/** Returns the escape sequence of a character in JSON. */
export function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
