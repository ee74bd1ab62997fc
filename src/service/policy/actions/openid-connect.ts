import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { signedIn, signIn, text } from '../fields.ts'
import { SIGN_IN_OUTCOMES, signInVisitor } from '../sign-in.ts'
import { needsPair } from './oauth.ts'

export const openidConnect = action({
  type: 'openid-connect',
  about: 'Allows only users who have signed in with an OpenID provider.',
  page: 'oidc',
  phases: ['on_http_request'],
  outcomes: SIGN_IN_OUTCOMES,
  config: {
    issuer_url: { kind: 'text', format: 'url', isRequired: true, about: 'The base URL of the provider.' },
    ...signIn,
    idle_session_duration: {
      kind: 'duration',
      min: 0,
      max: Number.POSITIVE_INFINITY,
      about: "The name of `idle_session_timeout` on the action's documentation page.",
    },
  },
  check: (config) => needsPair(config, false),
  onlyOne: { group: 'sign-in', number: 2239 },
  variable: 'oidc',
  sets: signedIn('current_session_id', { identity_token: text("The user's identity token.") }),
  decisions: [DECISIONS.signIn],
  run: (
    { client_id: _, scopes, idle_session_duration, idle_session_timeout = idle_session_duration, ...config },
    visit,
  ) => signInVisitor(visit, { ...config, idle_session_timeout }),
})
