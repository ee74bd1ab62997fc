/** The part of node-forge in use: its DER parser and writer. `@types/node-forge` lacks deep imports and these options. */
declare module 'node-forge/lib/asn1.js' {
  type Asn1 = import('./der.ts').Asn1
  type FromDerOptions = { strict: boolean; parseAllBytes: boolean; decodeBitStrings: boolean; maxDepth: number }

  const asn1: {
    fromDer(bytes: string, options: FromDerOptions): Asn1
    create(tagClass: number, type: number, constructed: boolean, value: string | readonly Asn1[]): Asn1
    toDer(element: Asn1): { getBytes(): string }
    oidToDer(dotted: string): { getBytes(): string }
  }
  export default asn1
}
