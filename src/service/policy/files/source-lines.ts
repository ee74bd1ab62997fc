import { replaceSecrets } from '../secrets.ts'

/**
 * Returns the lines of a policy's text with `*` in place of the secrets, because the output of a check is read by more people than
 * the file. If the text cannot be read and may have secrets, returns no lines.
 */
export function linesWithoutSecrets(text: string): readonly string[] {
  return replaceSecrets(text, (secret) => secret.replace(/[^\r\n]/g, '*'))?.split(/\r\n?|\n/) ?? []
}
