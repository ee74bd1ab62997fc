/** The part of punycode.js that this library uses: RFC 3492 without the prefix `xn--`. The package doesn't include types. */
declare module 'punycode.js' {
  const punycode: {
    /** Throws a RangeError if the text is not Punycode. */
    decode(text: string): string
    encode(text: string): string
  }
  export default punycode
}
