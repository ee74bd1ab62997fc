/** Returns the user name and password separated by a colon (RFC 7617, section 2), or undefined if there are none. */
export function readCredentials(header: string | undefined): string | undefined {
  const [, encoded] = /^basic +([a-z0-9+/=]+) *$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  try {
    const text = new TextDecoder().decode(Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0)))
    return text.includes(':') ? text : undefined
  } catch {
    return undefined
  }
}
