/** The platform globals that some test environments hide. */
type Name = 'Headers' | 'Request' | 'Response' | 'TextDecoder' | 'TextEncoder'

/** The Node global that loads Node's own modules without an import. */
interface NodeGlobals {
  readonly process?: { getBuiltinModule?(name: 'vm'): { runInThisContext(code: Name): unknown } }
}

/**
 * Returns one of the platform's globals. If the environment hides it, as Jest's jsdom hides `Response` and `TextEncoder`, returns Node's
 * own.
 * @throws TypeError if neither the environment nor Node has it.
 */
export function platform<N extends Name>(name: N): (typeof globalThis)[N] {
  const found = globalThis[name]
  if (found) return found
  const { process }: NodeGlobals = globalThis
  const node = process?.getBuiltinModule?.('vm')
  if (!node) throw new TypeError(`This environment has no ${name}, which fauxgate needs.`)
  return node.runInThisContext(name) as (typeof globalThis)[N] // The code is the global's name.
}

export function utf8Bytes(text: string): Uint8Array {
  return new (platform('TextEncoder'))().encode(text)
}

export function utf8Length(text: string): number {
  return utf8Bytes(text).length
}

/**
 * Decodes bytes of UTF-8 and keeps a byte order mark.
 * @throws TypeError if they are not valid UTF-8.
 */
export function utf8Text(bytes: Uint8Array): string {
  return new (platform('TextDecoder'))('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
