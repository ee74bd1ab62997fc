/** The globals of the platform that not every environment of a test passes on. */
type Name = 'Headers' | 'Request' | 'Response' | 'TextDecoder' | 'TextEncoder'

/** What Node has of its own modules without an import, as far as it is asked here. */
interface Host {
  readonly process?: { getBuiltinModule?(name: 'vm'): { runInThisContext(code: Name): unknown } }
}

/**
 * A global of the platform. Environments that play a browser may hide what Node has, as Jest's jsdom does with
 * `Response` and `TextEncoder`: there Node itself is asked.
 *
 * @throws TypeError where nobody has it
 */
export function platform<N extends Name>(name: N): (typeof globalThis)[N] {
  return globalThis[name] ?? hidden(name)
}

function hidden<N extends Name>(name: N): (typeof globalThis)[N] {
  const { process }: Host = globalThis
  const node = process?.getBuiltinModule?.('vm')
  if (!node) throw new TypeError(`This environment has no ${name}, which fauxgate needs.`)
  return node.runInThisContext(name) as (typeof globalThis)[N] // The code is the name of that global.
}

/** A text in UTF-8. */
export function utf8Bytes(text: string): Uint8Array {
  return new (platform('TextEncoder'))().encode(text)
}

/** The length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return utf8Bytes(text).length
}

/**
 * The text that bytes of UTF-8 stand for, a byte order mark included.
 *
 * @throws TypeError where they are not UTF-8
 */
export function utf8Text(bytes: Uint8Array): string {
  return new (platform('TextDecoder'))('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
