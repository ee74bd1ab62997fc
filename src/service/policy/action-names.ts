import { suggestion } from '../../core/schema/nearest.ts'

/** Names of actions that other pages and older versions use. */
const OLDER: Readonly<Record<string, string>> = {
  oidc: 'openid-connect',
  'webhook-verification': 'verify-webhook',
  'webhook-validation': 'verify-webhook',
  'ip-restriction': 'restrict-ips',
}

/** Returns the one action that has all words of a name, or whose words are all in the name, such as `rate-limit` for `limit`. */
function findByWords(name: string, types: readonly string[]): string {
  const words = name.split(/[-_ ]/)
  const found = types.filter((type) => {
    const own = type.split('-')
    return words.every((word) => own.includes(word)) || own.every((word) => words.includes(word))
  })
  return found.length === 1 ? String(found[0]) : name
}

/** Returns a suggestion for a type that no action has, such as ` Did you mean rate-limit?`; empty if there is none. */
export function suggestAction(received: string, types: readonly string[]): string {
  return suggestion(OLDER[received] ?? findByWords(received, types), types)
}
