/** The part of node-forge that this library uses: its DER parser and writer. `@types/node-forge` has no deep imports. */
declare module 'node-forge/lib/asn1.js' {
  /** One element. `value` holds the children of a constructed element, else the content as a binary string. */
  export interface Asn1 {
    readonly tagClass: number
    readonly type: number
    readonly constructed: boolean
    readonly value: string | readonly Asn1[]
  }

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
