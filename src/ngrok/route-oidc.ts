import * as v from 'valibot'
import { declareErrors, documented, edgeModule, field, HTTPS_ROUTES, named, rule, secret } from '../kit/index.ts'
import { textList } from './shared.ts'
import { signInErrors, signInFields, signInShape } from './sign-in-fields.ts'

const errors = declareErrors({
  oidc_issuer_missing: field(7088, 400, () => 'the URL of an OpenID provider, such as "https://accounts.example.com"'),
})

const issuer = documented(
  v.pipe(
    v.string(),
    rule([errors.oidc_issuer_missing], (url, report) => {
      if (!/^https?:\/\/[^\s/?#]+/i.test(url)) report(errors.oidc_issuer_missing, {})
    }),
  ),
  'The base URL of the OpenID provider.',
  { isRequired: true },
)

const given = v.pipe(v.string(), v.nonEmpty('a non-empty string'))
const client_id = documented(given, 'The id of your app at the provider.')
const client_secret = documented(v.pipe(given, secret), 'The secret of your app.')
const scopes = textList('The scopes to ask for.')

/** The module that lets people sign in at an OpenID provider (rules: edges#signing-in). */
export const routeOidc = edgeModule(HTTPS_ROUTES, {
  name: 'route_oidc',
  segment: 'oidc',
  what: 'OpenID Connect',
  errors: { ...signInErrors, ...errors },
  body: named(
    v.object({ ...signInFields, issuer: v.optional(issuer, ''), client_id, client_secret, scopes }),
    'RouteOidcBody',
    'The new OpenID Connect.',
    {
      json: {
        examples: [{ issuer: 'https://accounts.example.com', client_id: 'an app', client_secret: 'its secret' }],
      },
    },
  ),
  shape: named(
    v.object({ ...signInShape, issuer, client_id, client_secret, scopes: v.unwrap(scopes) }),
    'RouteOidc',
    'Lets people pass only after they signed in at an OpenID provider.',
  ),
  moduleOf: (body) => body,
})
