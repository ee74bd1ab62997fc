import * as v from 'valibot'
import { documented, edgeModule, general, HTTPS_ROUTES, named, ruleOnWhole } from '../kit/index.ts'
import { signInErrors, signInFields, signInShape, textList } from './sign-in-fields.ts'

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
/** The host of the addresses that the service gives a route for its identity provider. */
const HOST = 'https://idp.ngrok.com/saml'

const METADATA = "The identity provider's EntityDescriptor, as XML."
const RULES = { rules: 'edges#signing-in' }
const METADATA_URL = 'The URL of that XML, in place of it.'
const FORCE = 'True if people must sign in again although the identity provider knows them.'
const INITIATED = 'True if the identity provider may begin a sign-in.'
const FORMAT = 'The form of the names by which the identity provider calls people.'

const groups = textList('The groups whose members may pass; none for everybody.')

const fields = v.object({
  ...signInFields,
  idp_metadata: v.optional(documented(v.string(), METADATA), ''),
  idp_metadata_url: v.optional(documented(v.string(), METADATA_URL, RULES), ''),
  force_authn: v.optional(documented(v.boolean(), FORCE), false),
  allow_idp_initiated: v.optional(documented(v.boolean(), INITIATED), true),
  authorized_groups: groups,
  nameid_format: v.optional(documented(v.string(), FORMAT), ''),
})

const withMetadata = ruleOnWhole<v.InferOutput<typeof fields>, typeof general.field_invalid>(
  [],
  ({ idp_metadata, idp_metadata_url }, report) => {
    if (idp_metadata || idp_metadata_url) return
    const at = { path: ['idp_metadata'], value: idp_metadata }
    report(general.field_invalid, { allowed: 'an EntityDescriptor in XML, or its URL as idp_metadata_url' }, at)
  },
)

const shownText = (sentence: string) => documented(v.string(), sentence)

/** The module that lets people sign in at an identity provider that speaks SAML (rules: edges#signing-in). */
export const routeSaml = edgeModule(HTTPS_ROUTES, {
  name: 'route_saml',
  segment: 'saml',
  what: 'SAML',
  errors: signInErrors,
  body: named(v.pipe(fields, withMetadata), 'RouteSamlBody', 'The new SAML.', {
    json: { examples: [{ idp_metadata_url: 'https://idp.example.com/metadata' }] },
  }),
  shape: named(
    v.object({
      ...signInShape,
      idp_metadata: shownText(METADATA),
      idp_metadata_url: documented(v.string(), METADATA_URL, RULES),
      force_authn: documented(v.boolean(), FORCE),
      allow_idp_initiated: documented(v.boolean(), INITIATED),
      authorized_groups: v.unwrap(groups),
      nameid_format: shownText(FORMAT),
      entity_id: shownText('The id of the service at the identity provider: a URL.'),
      assertion_consumer_service_url: shownText('Where the identity provider sends people after they signed in.'),
      single_logout_url: shownText('Where the identity provider sends people after they signed out.'),
      metadata_url: shownText('Where the identity provider finds all this.'),
      request_signing_certificate_pem: shownText('The certificate of the key that signs requests: PEM.'),
    }),
    'RouteSaml',
    'Lets only those people pass who have signed in at an identity provider.',
  ),
  view(body, { authority }, { id }) {
    const own = `${HOST}/${id}`
    return {
      ...body,
      nameid_format: body.nameid_format || PERSISTENT,
      entity_id: own,
      assertion_consumer_service_url: `${own}/acs`,
      single_logout_url: `${own}/slo`,
      metadata_url: own,
      request_signing_certificate_pem: authority.certificatePem,
    }
  },
})
