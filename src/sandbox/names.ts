/** Returns whether a string is a valid sandbox name, that is, one label of a host name (rules: sandboxes#names). */
export function isSandboxName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(text)
}
