interface Compressor {
  readonly readable: ReadableStream
  readonly writable: WritableStream
}

/** The part of Node that compresses with Brotli, which not every platform's CompressionStream does. */
interface NodeModules {
  readonly process?: {
    getBuiltinModule?(name: 'node:zlib'): { createBrotliCompress(): object }
    getBuiltinModule?(name: 'node:stream'): { readonly Duplex: { toWeb(duplex: object): Compressor } }
  }
}

/** Returns a stream that compresses; undefined if the algorithm does not exist here. */
export function createCompressor(algorithm: string): Compressor | undefined {
  if (algorithm === 'gzip' || algorithm === 'deflate') return new CompressionStream(algorithm)
  return algorithm === 'br' ? createBrotli() : undefined
}

function createBrotli(): Compressor | undefined {
  const { process } = globalThis as NodeModules // Other platforms lack it.
  const zlib = process?.getBuiltinModule?.('node:zlib')
  const stream = process?.getBuiltinModule?.('node:stream')
  return zlib && stream?.Duplex.toWeb(zlib.createBrotliCompress())
}
