// The build replaces the globals that libraries use at import with these functions. Jest's jsdom hides the globals, and an environment
// without them must still be able to import the package.
import { platform } from './platform.ts'

/** Creates an encoder that looks up the platform's encoder only when encoding. */
export function TextEncoder() {
  return { encode: (text?: string) => new (platform('TextEncoder'))().encode(text) }
}

/** Creates a decoder that looks up the platform's decoder only when decoding. */
export function TextDecoder(...settings: ConstructorParameters<typeof globalThis.TextDecoder>) {
  return {
    decode: (...input: Parameters<InstanceType<typeof globalThis.TextDecoder>['decode']>) =>
      new (platform('TextDecoder'))(...settings).decode(...input),
  }
}
