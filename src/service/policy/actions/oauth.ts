import { quote } from '../../../core/schema/text.ts'
import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { signedIn, signIn } from '../fields.ts'
import { SIGN_IN_OUTCOMES, signInVisitor } from '../sign-in.ts'

/** The providers for which the service has no app, so you must provide your own. */
const UNMANAGED: readonly unknown[] = ['amazon', 'facebook']

export const oauth = action({
  type: 'oauth',
  about: 'Allows only users who have signed in with a provider.',
  page: 'oauth',
  phases: ['on_http_request'],
  outcomes: SIGN_IN_OUTCOMES,
  config: {
    provider: {
      kind: 'text',
      choices: ['amazon', 'facebook', 'github', 'gitlab', 'google', 'linkedin', 'microsoft', 'twitch'],
      isRequired: true,
      about: 'The provider with which users sign in.',
    },
    ...signIn,
  },
  check: (config) => needsPair(config, UNMANAGED.includes(config.provider) || hasScopes(config)),
  onlyOne: { group: 'sign-in', number: 2239 },
  sets: signedIn('current_provider_session_id'),
  decisions: [DECISIONS.signIn],
  run: (config, visit) => signInVisitor(visit, config),
})

function hasScopes({ scopes }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(scopes) && scopes.length > 0
}

/** Returns the problem with an app whose ID or secret is missing. */
export function needsPair(config: Readonly<Record<string, unknown>>, isRequired: boolean) {
  const [id, secret] = [config.client_id, config.client_secret].map(
    (value) => value !== undefined && value !== null && value !== '',
  )
  if (id === secret && (id || !isRequired)) return []
  if (id === secret) {
    const [field, what] = hasScopes(config)
      ? ['scopes', 'has custom scopes. They need']
      : ['provider', `is ${quote(config.provider)}. It needs`]
    const message = `${what} your own app, with client_id and client_secret`
    return [{ number: 2240, path: [field], message, needs: 'client_id' }]
  }
  const [missing, given] = id ? ['client_secret', 'client_id'] : ['client_id', 'client_secret']
  return [{ number: 2240, path: [missing], message: `is missing. It is required with ${given}` }]
}
