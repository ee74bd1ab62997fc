import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { defineModule, type Owner, ROUTES } from './modules.ts'
import { checkPeople, peopleErrors } from './route-oauth-people.ts'
import { signInErrors, signInFields, signInShape } from './route-sign-in.ts'
import { responseFields, textList } from './shared.ts'

const appErrors = kit.declareErrors({
  oauth_app_incomplete: kit.ofField(
    7033,
    400,
    "{provider} has only one of client_id and client_secret. Send both, or omit both to use the service's app.",
  ),
  oauth_scopes_of_managed_app: kit.ofField(
    7034,
    400,
    '{provider} has scopes without client_id and client_secret. Scopes need your own app.',
  ),
  oauth_providers_several: kit.ofField(7036, 400, '{field} has {names}. Send exactly one of them.'),
  oauth_provider_missing: kit.ofField(7037, 400, '{field} is empty. Send one of {names}.'),
})

/** The errors for providers and for the lists of allowed people. */
export const providerErrors = { ...appErrors, ...peopleErrors }

const CLIENT_ID = "Your own app's ID at the provider. If omitted, the service's app is used."
const CLIENT_SECRET = "Your own app's secret."

const lists = {
  scopes: textList('The scopes to request. Scopes require your own app.'),
  email_addresses: textList('The email addresses of the people to allow.'),
  email_domains: textList('The email domains of the people to allow.'),
}

const membership = {
  teams: textList('The teams whose members are allowed, such as `an-organization/a-team`.'),
  organizations: textList('The organizations whose members are allowed.'),
}

const account = {
  client_id: v.optional(kit.documented(v.string(), CLIENT_ID), ''),
  client_secret: v.optional(kit.documented(v.pipe(v.string(), kit.secret), CLIENT_SECRET), ''),
  ...lists,
}

const accountShape = {
  client_id: kit.documented(v.nullable(v.string()), `${CLIENT_ID} Then this field is null.`),
  client_secret: kit.documented(v.nullable(v.pipe(v.string(), kit.secret)), `${CLIENT_SECRET} Null without one.`),
  ...responseFields(lists),
}

/** Returns an object with one value for GitHub, which also has teams and organizations, and another value for all other providers. */
function byProvider<G, O>(github: G, other: O) {
  return {
    github,
    facebook: other,
    microsoft: other,
    google: other,
    linkedin: other,
    gitlab: other,
    twitch: other,
    amazon: other,
  }
}

const PROVIDERS = parts.keysOf(byProvider(0, 0))

const PROVIDER = 'The app at a provider, and the people who are allowed.'
const githubBody = kit.named(v.object({ ...account, ...membership }), 'OAuthGitHubBody', PROVIDER)
const otherBody = kit.named(v.object(account), 'OAuthProviderBody', PROVIDER)
const githubShape = kit.named(v.object({ ...accountShape, ...responseFields(membership) }), 'OAuthGitHub', PROVIDER)
const otherShape = kit.named(v.object(accountShape), 'OAuthProvider', PROVIDER)

const fields = v.object(byProvider(v.optional(githubBody), v.optional(otherBody)))

type Provider = v.InferOutput<typeof otherBody>

type Providers = v.InferOutput<typeof fields>

type OneOf<T> = T[keyof T]

const providersRule = kit.rule<Providers, OneOf<typeof providerErrors>>(
  Object.values(providerErrors),
  (sent, report) => {
    const found = PROVIDERS.filter((name) => sent[name] !== undefined)
    const [provider] = found
    if (provider === undefined) return report(providerErrors.oauth_provider_missing, { names: PROVIDERS.join(', ') })
    if (found.length > 1) return report(providerErrors.oauth_providers_several, { names: found.join(' and ') })
    const { client_id, client_secret, scopes, ...people } = sent[provider] as Provider // `found` has the provider's name.
    const at = { path: [provider], value: {} }
    if ((client_id === '') !== (client_secret === '')) report(providerErrors.oauth_app_incomplete, { provider }, at)
    const hasApp = client_id !== '' || client_secret !== ''
    if (!hasApp && scopes.length > 0) report(providerErrors.oauth_scopes_of_managed_app, { provider }, at)
    for (const [list, texts] of Object.entries(people))
      checkPeople(list, texts, (error, index, value) =>
        report(error, { provider }, { path: [provider, list, index], value }),
      )
    return undefined
  },
)

const SIGN_IN_SENTENCE = 'The provider that people sign in with, and the people who are allowed.'

const providerBody = kit.named(v.pipe(fields, providersRule), 'OAuthProvidersBody', SIGN_IN_SENTENCE)

const providerShape = kit.named(
  v.object(byProvider(v.nullable(githubShape), v.nullable(otherShape))),
  'OAuthProviders',
  SIGN_IN_SENTENCE,
)

const auth_check_interval = v.optional(
  kit.documented(
    kit.integerFrom(0),
    'The number of seconds after which the service checks with the provider again whether the person is allowed; 0 for never.',
  ),
  0,
)

const DEFAULT_COOKIE_PREFIX = 'ngrok.'

interface Account {
  readonly client_id: string
  readonly client_secret: string
}

/** Returns a provider's account for a response. */
function providerView<A extends Account>(account: A | undefined) {
  return account
    ? { ...account, client_id: account.client_id || null, client_secret: account.client_secret || null }
    : null
}

const oauthShape = kit.named(
  v.object({ ...signInShape, auth_check_interval: v.unwrap(auth_check_interval), provider: providerShape }),
  'RouteOAuth',
  'Requires people to sign in with a provider.',
)

/** Creates the module that lets people sign in with a provider (rules: edges#signing-in). */
export function oauthModule<Ids extends parts.PathIds>(owner: Owner<Ids>) {
  return defineModule(owner, {
    segment: 'oauth',
    title: 'OAuth',
    what: 'OAuth',
    errors: { ...signInErrors, ...providerErrors },
    body: v.object({ ...signInFields, auth_check_interval, provider: providerBody }),
    example: { provider: { google: { email_domains: ['example.com'] } } },
    shape: oauthShape,
    view: ({ provider, cookie_prefix, ...rest }) => ({
      ...rest,
      cookie_prefix: cookie_prefix || DEFAULT_COOKIE_PREFIX,
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
}

/** The route module that lets people sign in with a provider. */
export const routeOauth = oauthModule(ROUTES)
