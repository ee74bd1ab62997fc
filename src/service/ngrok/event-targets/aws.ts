/** AWS targets, and the credentials that the service uses for AWS. */
import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import { targetErrors } from './errors.ts'
import { secretText, text, textMatching } from './fields.ts'

const role = kit.named(
  v.object({
    role_arn: textMatching(
      targetErrors.event_role_invalid,
      /^arn:[^:]+:iam::[^:]*:role\/.+$/,
      'The ARN of the role that the service assumes.',
    ),
  }),
  'AwsRoleBody',
  'An AWS role that the service assumes.',
)

const creds = kit.named(
  v.object({
    aws_access_key_id: text('The access key ID.'),
    aws_secret_access_key: secretText('The secret access key.'),
  }),
  'AwsCredentials',
  'An access key.',
)

const roleShape = kit.named(
  v.object({ role_arn: text("The role's ARN.") }),
  'AwsRole',
  'An AWS role that the service assumes.',
)

const awsAuth = v.object({
  role: v.optional(kit.documented(role, 'The role that the service assumes.')),
  creds: v.optional(kit.documented(creds, 'The access key that the service uses.')),
})

const { event_auth_missing, event_auth_empty, event_auths_several } = targetErrors

const checkedAuth = v.pipe(
  awsAuth,
  kit.rule<v.InferOutput<typeof awsAuth>, typeof event_auth_empty | typeof event_auths_several>(
    [event_auth_empty, event_auths_several],
    ({ role, creds }, report) => {
      if (role && creds) report(event_auths_several, {})
      else if (!role && !creds) report(event_auth_empty, {})
    },
  ),
)

const auth = kit.named(checkedAuth, 'AwsAuthBody', 'The AWS credentials.')

const AUTH = 'The AWS credentials: `role` or `creds`.'

/** Creates the field for the ARN of an AWS resource. */
export function arnOf(service: string) {
  const sentence = `The ARN of the ${service} resource.`
  const arn = v.pipe(
    v.string(),
    kit.rule([targetErrors.event_arn_invalid], (text, report) => {
      if (!new RegExp(`^arn:[^:]+:${service}:.+$`).test(text)) report(targetErrors.event_arn_invalid, { service })
    }),
  )
  return kit.documented(v.optional(arn, ''), sentence, { isRequired: true })
}

/** Creates the schema of an AWS target from its ARN field. */
export function awsTarget<const Arn extends v.ObjectEntries>(arn: Arn, title: string, sentence: string) {
  const fields = v.object({ auth: kit.documented(v.optional(auth), AUTH, { isRequired: true }), ...arn })
  const authRule = kit.ruleOnWhole<v.InferOutput<typeof fields>, typeof event_auth_missing>(
    [event_auth_missing],
    (sent, report) => {
      const value: unknown = Reflect.get(sent, 'auth')
      if (value === undefined) report(event_auth_missing, {}, { path: ['auth'], value })
    },
  )
  return v.optional(kit.named(v.pipe(fields, authRule), title, sentence))
}

const authShape = kit.named(
  v.object({
    role: kit.documented(v.nullable(roleShape), 'The role, or null.'),
    creds: kit.documented(v.nullable(creds), 'The access key, or null.'),
  }),
  'AwsAuth',
  'The AWS credentials. Either the role or the access key is null.',
)

/** The ARN field in a response. */
export const ARN = text('The ARN of the resource.')

/** Creates the response schema of an AWS target from its ARN field. */
export function awsShape<const Arn extends v.ObjectEntries>(arn: Arn, title: string, sentence: string) {
  const shown = kit.named(v.object({ auth: kit.documented(authShape, AUTH), ...arn }), title, sentence)
  return kit.documented(v.nullable(shown), `${sentence} Null if the events go elsewhere.`)
}

/** Returns an AWS target for a response, or null if there is none. */
export function awsView<Target extends { readonly auth?: kit.Frozen<v.InferOutput<typeof awsAuth>> | undefined }>(
  target: Target | undefined,
) {
  return target ? { ...target, auth: { role: target.auth?.role ?? null, creds: target.auth?.creds ?? null } } : null
}
