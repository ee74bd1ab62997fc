const REDACTED = '[redacted]'

/** A private key in PEM, to its end or to the end of the JSON text that it stands in; line ends may be escaped. */
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[^"]*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|(?=")|$)/g

/**
 * A body as the journal keeps it: without private keys, wherever they stand, and without webhook secrets. A body in
 * which a secret may stand and that cannot be read is not kept at all.
 */
export function redacted(text: string | null, operation: string | null): string | null {
  if (text === null || text === '') return text
  const isWebhook = operation?.startsWith('webhook_verification.') === true
  const mayHoldSecret = text.includes('private_key_pem') || (isWebhook && text.includes('secret'))
  const named = mayHoldSecret ? withoutSecretFields(text, isWebhook) : text
  return named.includes('PRIVATE KEY') ? named.replace(PRIVATE_KEY, REDACTED) : named
}

function withoutSecretFields(text: string, isWebhook: boolean): string {
  const hide = (key: string, value: unknown) =>
    key === 'private_key_pem' || (isWebhook && key === 'secret') ? value && REDACTED : value
  try {
    return JSON.stringify(JSON.parse(text), hide)
  } catch {
    return `[a body of ${text.length} characters that is not JSON and may hold a secret]`
  }
}
