/** The fields common to all sign-in modules, and the modules for OpenID Connect and SAML (rules: edges#signing-in). */
import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { defineModule, type Owner, ROUTES } from './modules.ts'
import { refuseIfEmpty, refuseUnless, responseFields, textList } from './shared.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** The errors for the fields common to all sign-in modules. */
export const signInErrors = kit.declareErrors({
  cookie_prefix_invalid: kit.field(7042, 400, 'letters, digits and periods'),
  inactivity_timeout_too_long: kit.field(7092, 400, `whole seconds from 0 to ${YEAR_SECONDS}, a year`),
  signs_in_twice: kit.entry(7079, 400, '{names} are enabled together. Disable all but one of them.'),
})

/** The sign-in modules, by field. Routes do not have basic auth. */
const SIGN_INS = ['basic_auth', 'oauth', 'oidc', 'saml']

/** Throws an error if more than one module of a route or an endpoint configuration is a sign-in module. */
export function requireOneSignIn(modules: object): void {
  const names = SIGN_INS.filter((name) => {
    const module: unknown = Reflect.get(modules, name)
    return parts.isObject(module) && module.enabled === true
  })
  if (names.length > 1) kit.refuse(signInErrors.signs_in_twice, { names: names.join(' and ') })
}

const cookie_prefix = kit.documented(
  v.pipe(
    v.string(),
    refuseUnless(signInErrors.cookie_prefix_invalid, (prefix) => /^[0-9A-Za-z.]*$/.test(prefix)),
  ),
  "The prefix of the session cookie's name.",
)

/** The body fields of a sign-in module. */
export const signInFields = {
  enabled: parts.enabled,
  options_passthrough: v.optional(kit.documented(v.boolean(), 'True if OPTIONS requests need no session.'), false),
  cookie_prefix: v.optional(cookie_prefix, ''),
  inactivity_timeout: v.optional(
    kit.documented(
      v.pipe(kit.integerFrom(0, YEAR_SECONDS), kit.refusedAs(signInErrors.inactivity_timeout_too_long)),
      'The number of seconds of inactivity after which a session ends; 0 for no limit.',
    ),
    0,
  ),
  maximum_duration: v.optional(
    kit.documented(kit.integerFrom(0), 'The maximum duration of a session, in seconds; 0 for no limit.'),
    0,
  ),
}

/** The response fields of a sign-in module. */
export const signInShape = responseFields(signInFields)

const MAX_ISSUER_BYTES = 255

/** The errors for an OpenID provider. */
export const oidcErrors = kit.declareErrors({
  oidc_issuer_missing: kit.field(7088, 400, 'the URL of an OpenID provider, such as "https://accounts.example.com"'),
  oidc_issuer_too_long: kit.ofField(
    7087,
    400,
    `{field} has {length} bytes. The URL of an OpenID provider has at most ${MAX_ISSUER_BYTES}.`,
  ),
  oidc_client_id_missing: kit.field(7089, 400, 'the ID of your app at the OpenID provider'),
  oidc_client_secret_missing: kit.field(7090, 400, 'the secret of your app at the OpenID provider'),
})

const issuer = kit.documented(
  v.pipe(
    v.string(),
    refuseUnless(oidcErrors.oidc_issuer_missing, (url) => /^https?:\/\/[^\s/?#]+/i.test(url)),
    kit.rule<string, typeof oidcErrors.oidc_issuer_too_long>([oidcErrors.oidc_issuer_too_long], (url, report) => {
      const length = new TextEncoder().encode(url).length
      if (length > MAX_ISSUER_BYTES) report(oidcErrors.oidc_issuer_too_long, { length })
    }),
  ),
  'The base URL of the OpenID provider.',
  { isRequired: true },
)

const client_id = kit.documented(
  v.pipe(v.string(), refuseIfEmpty(oidcErrors.oidc_client_id_missing)),
  "Your app's ID at the provider.",
  { isRequired: true },
)
const client_secret = kit.documented(
  v.pipe(v.string(), refuseIfEmpty(oidcErrors.oidc_client_secret_missing), kit.secret),
  "Your app's secret.",
  { isRequired: true },
)
const scopes = textList('The scopes to request.')

const oidcShape = kit.named(
  v.object({ ...signInShape, issuer, client_id, client_secret, scopes: v.unwrap(scopes) }),
  'RouteOidc',
  'Requires people to sign in with an OpenID provider.',
)

/** Creates the module that lets people sign in with an OpenID provider. */
export function oidcModule<Ids extends parts.PathIds>(owner: Owner<Ids>) {
  return defineModule(owner, {
    segment: 'oidc',
    title: 'Oidc',
    what: 'OpenID Connect',
    errors: { ...signInErrors, ...oidcErrors },
    body: v.object({
      ...signInFields,
      issuer: v.optional(issuer, ''),
      client_id: v.optional(client_id, ''),
      client_secret: v.optional(client_secret, ''),
      scopes,
    }),
    example: { issuer: 'https://accounts.example.com', client_id: 'an app', client_secret: 'its secret' },
    shape: oidcShape,
    view: (body) => body,
  })
}

/** The route module that lets people sign in with an OpenID provider. */
export const routeOidc = oidcModule(ROUTES)

/** The errors for a SAML identity provider. */
export const samlErrors = kit.declareErrors({
  saml_metadata_twice: kit.ofField(7081, 400, '{field} was sent together with idp_metadata_url. Omit one of them.'),
  saml_metadata_missing: kit.field(7091, 400, 'an EntityDescriptor in XML, or its URL as idp_metadata_url'),
})

const DEFAULT_NAMEID_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
/** The beginning of the URLs that the service assigns to a route for its identity provider. */
const SAML_URL = 'https://idp.ngrok.com/saml'

const samlFields = v.object({
  ...signInFields,
  idp_metadata: v.optional(kit.documented(v.string(), "The identity provider's EntityDescriptor, as XML."), ''),
  idp_metadata_url: v.optional(
    kit.documented(v.string(), 'The URL of the EntityDescriptor, instead of the XML itself.', {
      rules: 'edges#signing-in',
    }),
    '',
  ),
  force_authn: v.optional(
    kit.documented(
      v.boolean(),
      'True if people must sign in again even if they have a session with the identity provider.',
    ),
    false,
  ),
  allow_idp_initiated: v.optional(
    kit.documented(v.boolean(), 'True if the identity provider may initiate a sign-in.'),
    true,
  ),
  authorized_groups: textList('The groups whose members are allowed; an empty list allows everyone.'),
  nameid_format: v.optional(
    kit.documented(v.string(), 'The format of the name identifiers that the identity provider sends.'),
    '',
  ),
})

type SamlError = (typeof samlErrors)[keyof typeof samlErrors]

const metadataRule = kit.ruleOnWhole<v.InferOutput<typeof samlFields>, SamlError>(
  Object.values(samlErrors),
  ({ idp_metadata, idp_metadata_url }, report) => {
    const at = { path: ['idp_metadata'], value: idp_metadata }
    if (!idp_metadata && !idp_metadata_url) report(samlErrors.saml_metadata_missing, {}, at)
    if (idp_metadata && idp_metadata_url) report(samlErrors.saml_metadata_twice, {}, at)
  },
)

const textField = (sentence: string) => kit.documented(v.string(), sentence)

const samlShape = kit.named(
  v.object({
    ...responseFields(samlFields.entries),
    entity_id: textField("The service's ID at the identity provider: a URL."),
    assertion_consumer_service_url: textField('The URL that the identity provider sends people to after they sign in.'),
    single_logout_url: textField('The URL that the identity provider sends people to after they sign out.'),
    metadata_url: textField('The URL of the metadata that the identity provider reads.'),
    request_signing_certificate_pem: textField('The certificate for the key that signs requests: PEM.'),
  }),
  'RouteSaml',
  'Requires people to sign in with an identity provider.',
)

/** Creates the module that lets people sign in with a SAML identity provider. */
export function samlModule<Ids extends parts.PathIds & { readonly id: string }>(owner: Owner<Ids>) {
  return defineModule(owner, {
    segment: 'saml',
    title: 'Saml',
    what: 'SAML',
    errors: { ...signInErrors, ...samlErrors },
    body: v.pipe(samlFields, metadataRule),
    example: { idp_metadata_url: 'https://idp.example.com/metadata' },
    shape: samlShape,
    view(body, { authority }, { id }) {
      const own = `${SAML_URL}/${id}`
      return {
        ...body,
        nameid_format: body.nameid_format || DEFAULT_NAMEID_FORMAT,
        entity_id: own,
        assertion_consumer_service_url: `${own}/acs`,
        single_logout_url: `${own}/slo`,
        metadata_url: own,
        request_signing_certificate_pem: authority.certificatePem,
      }
    },
  })
}

/** The route module that lets people sign in with a SAML identity provider. */
export const routeSaml = samlModule(ROUTES)
