/** The part of node-forge that this library uses: its DER parser. `@types/node-forge` has no deep imports. */
declare module 'node-forge/lib/asn1.js' {
  /** One parsed element. `value` holds the children of a constructed element, else the content as a binary string. */
  export interface Asn1 {
    readonly tagClass: number
    readonly type: number
    readonly constructed: boolean
    readonly value: string | readonly Asn1[]
  }

  const asn1: {
    fromDer(
      bytes: string,
      options: { strict: boolean; parseAllBytes: boolean; decodeBitStrings: boolean; maxDepth: number },
    ): Asn1
  }
  export default asn1
}
