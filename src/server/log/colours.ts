import { styleText } from 'node:util'

/** A colour or weight that `styleText` knows. */
type Style = Parameters<typeof styleText>[0]

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

/**
 * Colours where the stream is a terminal, unless the environment wants it otherwise: `NO_COLOR` with any value takes them
 * away, `FORCE_COLOR` with any but 0 and false brings them.
 */
export function paintFor(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Paint {
  return hasColours(stream, environment)
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text
}

function hasColours({ isTTY = false }: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return !['0', 'false'].includes(FORCE_COLOR)
  return isTTY && TERM !== 'dumb'
}
