/** A stream that transforms its input. */
export interface Transform {
  readonly readable: ReadableStream
  readonly writable: WritableStream
}

type Make = (options?: object) => object

/** The Node features that `CompressionStream` lacks: Brotli, and flushing after each chunk. */
interface NodeZlib {
  readonly constants: { readonly Z_SYNC_FLUSH: number; readonly BROTLI_OPERATION_FLUSH: number }
  readonly createGzip: Make
  readonly createDeflate: Make
  readonly createBrotliCompress: Make
  readonly createBrotliDecompress: Make
}

interface NodeModules {
  readonly process?: {
    getBuiltinModule?(name: 'node:zlib'): NodeZlib
    getBuiltinModule?(name: 'node:stream'): { readonly Duplex: { toWeb(duplex: object): Transform } }
  }
}

/** Returns a stream that compresses each chunk as it passes through, or undefined if the platform does not support the algorithm. */
export function createCompressor(algorithm: string | undefined): Transform | undefined {
  const own = fromNode(({ createGzip, createDeflate, createBrotliCompress, constants }) => {
    const flush = constants.Z_SYNC_FLUSH
    if (algorithm === 'gzip') return createGzip({ flush })
    if (algorithm === 'deflate') return createDeflate({ flush })
    return algorithm === 'br' ? createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH }) : undefined
  })
  if (own) return own
  return algorithm === 'gzip' || algorithm === 'deflate' ? new CompressionStream(algorithm) : undefined
}

/** Returns a stream that decompresses, or undefined if the platform does not support the coding. */
export function createDecompressor(coding: string): Transform | undefined {
  if (coding === 'gzip' || coding === 'x-gzip') return new DecompressionStream('gzip')
  if (coding === 'deflate') return new DecompressionStream('deflate')
  return coding === 'br' ? fromNode((zlib) => zlib.createBrotliDecompress()) : undefined
}

function fromNode(make: (zlib: NodeZlib) => object | undefined): Transform | undefined {
  const { process } = globalThis as NodeModules // Other platforms lack `process`.
  const zlib = process?.getBuiltinModule?.('node:zlib')
  const duplex = zlib && make(zlib)
  return duplex && process?.getBuiltinModule?.('node:stream').Duplex.toWeb(duplex)
}
