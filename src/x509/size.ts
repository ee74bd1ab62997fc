import { refuse } from '../schema/errors.ts'
import { utf8Length } from '../schema/platform.ts'
import { errors } from './errors.ts'

/** Bytes of UTF-8. */
const LONGEST = 65_536

/**
 * Checks that an uploaded PEM text has at most 64 KiB (rules: tls-certificates#accepted).
 *
 * @throws Refusal with `certificate_too_long`
 */
export function requireShort(field: 'certificate_pem' | 'private_key_pem', text: string): void {
  const bytes = text.length * 3 > LONGEST ? utf8Length(text) : 0
  if (bytes > LONGEST) refuse(errors.certificate_too_long, { field, received: bytes, limit: LONGEST, unit: 'bytes' })
}
