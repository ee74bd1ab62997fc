import * as v from 'valibot'
import { documented, edgeModule, HTTPS_ROUTES, integerFrom, named } from '../kit/index.ts'
import { providerBody, providerErrors, providerShape } from './oauth-provider.ts'
import { signInErrors, signInFields, signInShape } from './sign-in-fields.ts'

const auth_check_interval = v.optional(
  documented(
    integerFrom(0),
    'The seconds after which the service checks again with the provider whether somebody may pass; 0 for never.',
  ),
  0,
)

const USUAL_PREFIX = 'ngrok.'

interface Account {
  readonly client_id: string
  readonly client_secret: string
}

/** Returns the account of a provider as answers have it. */
function providerView<A extends Account>(account: A | undefined) {
  return account
    ? { ...account, client_id: account.client_id || null, client_secret: account.client_secret || null }
    : null
}

/** The module that lets people sign in at a provider (rules: edges#signing-in). */
export const routeOauth = edgeModule(HTTPS_ROUTES, {
  name: 'route_oauth',
  segment: 'oauth',
  what: 'OAuth',
  errors: { ...signInErrors, ...providerErrors },
  body: named(
    v.object({ ...signInFields, auth_check_interval, provider: providerBody }),
    'RouteOAuthBody',
    'The new OAuth.',
    { json: { examples: [{ provider: { google: { email_domains: ['example.com'] } } }] } },
  ),
  shape: named(
    v.object({ ...signInShape, auth_check_interval: v.unwrap(auth_check_interval), provider: providerShape }),
    'RouteOAuth',
    'Lets people pass only after they signed in at a provider.',
  ),
  view: ({ provider, cookie_prefix, ...rest }) => ({
    ...rest,
    cookie_prefix: cookie_prefix || USUAL_PREFIX,
    provider: {
      github: providerView(provider.github),
      facebook: providerView(provider.facebook),
      microsoft: providerView(provider.microsoft),
      google: providerView(provider.google),
      linkedin: providerView(provider.linkedin),
      gitlab: providerView(provider.gitlab),
      twitch: providerView(provider.twitch),
      amazon: providerView(provider.amazon),
    },
  }),
})
