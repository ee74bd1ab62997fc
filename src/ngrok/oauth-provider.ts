import * as v from 'valibot'
import { declareErrors, documented, named, ofField, rule, secret } from '../kit/index.ts'
import { answerFields, textList } from './shared.ts'

type Of = { readonly provider: string }

const empty = (number: number) =>
  ofField<Of>(number, 400, (it) => `${it.field} is ${it.received}. The lists of ${it.provider} have no empty texts.`)

/** The errors of the provider of an OAuth module. */
export const providerErrors = declareErrors({
  oauth_app_incomplete: ofField<Of>(
    7033,
    400,
    (it) => `${it.provider} has only one of client_id and client_secret. Send both, or neither for the service's app.`,
  ),
  oauth_scopes_of_managed_app: ofField<Of>(
    7034,
    400,
    (it) => `${it.provider} has scopes without client_id and client_secret. Scopes need an app of your own.`,
  ),
  oauth_providers_several: ofField<{ readonly names: string }>(
    7036,
    400,
    (it) => `${it.field} has ${it.names}. Send exactly one of them.`,
  ),
  oauth_provider_missing: ofField<{ readonly names: string }>(
    7037,
    400,
    (it) => `${it.field} names nobody. Send one of ${it.names}.`,
  ),
  oauth_email_invalid: ofField<Of>(
    7043,
    400,
    (it) =>
      `${it.field} is ${it.received}, which is not an email address for ${it.provider}, such as "kim@example.com".`,
  ),
  oauth_email_empty: empty(7051),
  oauth_email_domain_empty: empty(7052),
  oauth_team_empty: empty(7053),
  oauth_organization_empty: empty(7054),
})

const CLIENT_ID = "The id of an app of your own at the provider; without it, the service's own app is used."
const CLIENT_SECRET = 'The secret of that app.'

const lists = {
  scopes: textList('The scopes to ask for, which only an app of your own can have.'),
  email_addresses: textList('The email addresses of the people who may pass.'),
  email_domains: textList('The domains of the email addresses of the people who may pass.'),
}

const membership = {
  teams: textList('The teams whose members may pass, such as `an-organization/a-team`.'),
  organizations: textList('The organizations whose members may pass.'),
}

const account = {
  client_id: v.optional(documented(v.string(), CLIENT_ID), ''),
  client_secret: v.optional(documented(v.pipe(v.string(), secret), CLIENT_SECRET), ''),
  ...lists,
}

const accountShape = {
  client_id: documented(v.nullable(v.string()), `${CLIENT_ID} Then it is null.`),
  client_secret: documented(v.nullable(v.pipe(v.string(), secret)), `${CLIENT_SECRET} Null without one.`),
  ...answerFields(lists),
}

const OTHERS = ['facebook', 'microsoft', 'google', 'linkedin', 'gitlab', 'twitch', 'amazon'] as const

/** The names of the providers. */
const PROVIDERS = ['github', ...OTHERS] as const

const WHOSE = 'The app and the people of one provider.'
const githubBody = named(v.object({ ...account, ...membership }), 'OAuthGitHubBody', WHOSE)
const otherBody = named(v.object(account), 'OAuthProviderBody', WHOSE)
const githubShape = named(v.object({ ...accountShape, ...answerFields(membership) }), 'OAuthGitHub', WHOSE)
const otherShape = named(v.object(accountShape), 'OAuthProvider', WHOSE)

const fields = v.object({
  github: v.optional(githubBody),
  facebook: v.optional(otherBody),
  microsoft: v.optional(otherBody),
  google: v.optional(otherBody),
  linkedin: v.optional(otherBody),
  gitlab: v.optional(otherBody),
  twitch: v.optional(otherBody),
  amazon: v.optional(otherBody),
})

type Provider = v.InferOutput<typeof otherBody>

/** The provider of a body that was read. */
export type Providers = v.InferOutput<typeof fields>

const EMPTY = {
  email_addresses: providerErrors.oauth_email_empty,
  email_domains: providerErrors.oauth_email_domain_empty,
  teams: providerErrors.oauth_team_empty,
  organizations: providerErrors.oauth_organization_empty,
}

type OneOf<T> = T[keyof T]

const consistent = rule<Providers, OneOf<typeof providerErrors>>(Object.values(providerErrors), (sent, report) => {
  const found = PROVIDERS.filter((name) => sent[name] !== undefined)
  const [provider] = found
  if (provider === undefined) return report(providerErrors.oauth_provider_missing, { names: PROVIDERS.join(', ') })
  if (found.length > 1) return report(providerErrors.oauth_providers_several, { names: found.join(' and ') })
  const { client_id, client_secret, scopes, ...people } = sent[provider] as Provider // It was found.
  const at = { path: [provider], value: {} }
  if ((client_id === '') !== (client_secret === '')) report(providerErrors.oauth_app_incomplete, { provider }, at)
  const hasApp = client_id !== '' || client_secret !== ''
  if (!hasApp && scopes.length > 0) report(providerErrors.oauth_scopes_of_managed_app, { provider }, at)
  for (const [list, texts] of Object.entries(people)) {
    const error = EMPTY[list as keyof typeof EMPTY] // The other fields are these lists.
    for (const [index, value] of texts.entries()) {
      const where = { path: [provider, list, index], value }
      if (value === '') report(error, { provider }, where)
      else if (list === 'email_addresses' && !/^[^@\s]+@[^@\s]+$/.test(value))
        report(providerErrors.oauth_email_invalid, { provider }, where)
    }
  }
  return undefined
})

const WHO = 'The provider where people sign in, and the people who may pass.'

/** The provider of a body. */
export const providerBody = named(v.pipe(fields, consistent), 'OAuthProvidersBody', WHO)

const otherField = v.nullable(otherShape)

/** The provider of an answer. */
export const providerShape = named(
  v.object({
    github: v.nullable(githubShape),
    facebook: otherField,
    microsoft: otherField,
    google: otherField,
    linkedin: otherField,
    gitlab: otherField,
    twitch: otherField,
    amazon: otherField,
  }),
  'OAuthProviders',
  WHO,
)
