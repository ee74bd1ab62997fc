/** The length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
