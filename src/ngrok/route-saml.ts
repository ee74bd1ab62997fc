import * as v from 'valibot'
import { documented, edgeModule, general, HTTPS_ROUTES, named, ruleOnWhole } from '../kit/index.ts'
import { answerFields, textList } from './shared.ts'
import { signInErrors, signInFields } from './sign-in-fields.ts'

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
/** The host of the addresses that the service gives a route for its identity provider. */
const HOST = 'https://idp.ngrok.com/saml'

const fields = v.object({
  ...signInFields,
  idp_metadata: v.optional(documented(v.string(), "The identity provider's EntityDescriptor, as XML."), ''),
  idp_metadata_url: v.optional(
    documented(v.string(), 'The URL of that XML, to send instead of the XML.', { rules: 'edges#signing-in' }),
    '',
  ),
  force_authn: v.optional(
    documented(v.boolean(), 'True if people must sign in again although the identity provider knows them.'),
    false,
  ),
  allow_idp_initiated: v.optional(documented(v.boolean(), 'True if the identity provider may begin a sign-in.'), true),
  authorized_groups: textList('The groups whose members may pass; none for everybody.'),
  nameid_format: v.optional(documented(v.string(), 'The format in which the identity provider names people.'), ''),
})

const withMetadata = ruleOnWhole<v.InferOutput<typeof fields>, typeof general.field_invalid>(
  [],
  ({ idp_metadata, idp_metadata_url }, report) => {
    if (idp_metadata || idp_metadata_url) return
    const at = { path: ['idp_metadata'], value: idp_metadata }
    report(general.field_invalid, { allowed: 'an EntityDescriptor in XML, or its URL as idp_metadata_url' }, at)
  },
)

const textField = (sentence: string) => documented(v.string(), sentence)

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
      ...answerFields(fields.entries),
      entity_id: textField('The id of the service at the identity provider: a URL.'),
      assertion_consumer_service_url: textField(
        'The URL to which the identity provider sends people after they signed in.',
      ),
      single_logout_url: textField('The URL to which the identity provider sends people after they signed out.'),
      metadata_url: textField('The URL at which the identity provider finds this metadata.'),
      request_signing_certificate_pem: textField('The certificate of the key that signs requests: PEM.'),
    }),
    'RouteSaml',
    'Lets people pass only after they signed in at an identity provider.',
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
