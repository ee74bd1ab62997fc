/** The part of node-forge that this library uses: its DER parser and writer. `@types/node-forge` has no deep imports. */
declare module 'node-forge/lib/asn1.js' {
  type Asn1 = import('./der.ts').Asn1

  /** A buffer of bytes. */
  export interface ByteBuffer {
    /** All of them as a binary string. */
    getBytes(): string
  }

  const asn1: {
    fromDer(
      bytes: string,
      options: { strict: boolean; parseAllBytes: boolean; decodeBitStrings: boolean; maxDepth: number },
    ): Asn1
    create(tagClass: number, type: number, constructed: boolean, value: string | readonly Asn1[]): Asn1
    toDer(element: Asn1): ByteBuffer
    oidToDer(dotted: string): ByteBuffer
  }
  export default asn1
}
