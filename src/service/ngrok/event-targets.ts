/** The targets of event destinations, and how the service signs in there. */
import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import type * as parts from '../parts/index.ts'
import { refuseUnless, responseFields } from './shared.ts'

/** The errors of targets. */
export const targetErrors = kit.declareErrors({
  event_target_missing: kit.ofField(
    5100,
    400,
    (it: parts.FieldFacts & { kinds: string }) => `${it.field} names no place for the events. Send one of ${it.kinds}.`,
  ),
  event_role_invalid: kit.field(5104, 400, () => 'the ARN of a role, such as "arn:aws:iam::123456789012:role/events"'),
  event_auth_missing: kit.field(5106, 400, () => 'an object with role or creds'),
  event_auth_empty: kit.field(5107, 400, () => 'role or creds'),
  event_targets_several: kit.ofField(
    5115,
    400,
    (it: parts.FieldFacts & { names: string }) => `${it.field} has ${it.names}. Send exactly one.`,
  ),
  event_auths_several: kit.field(5116, 400, () => 'role or creds, not both'),
  event_arn_invalid: kit.field(
    5130,
    400,
    (it: { service: string }) =>
      `the ARN of a resource of ${it.service}, such as "arn:aws:${it.service}:us-east-1:123456789012:a-name"`,
  ),
  event_api_key_missing: kit.field(5133, 400, () => 'an API key of Datadog'),
  event_datadog_site_invalid: kit.ofField(
    5134,
    400,
    (it: parts.FieldFacts & { sites: string }) => `${it.field} is ${it.received}. Allowed: one of ${it.sites}.`,
  ),
  event_azure_rule_missing: kit.field(5136, 400, () => 'the immutable id of a data collection rule'),
  event_azure_stream_missing: kit.field(5137, 400, () => 'the name of a data collection stream'),
  event_azure_uri_invalid: kit.field(5138, 400, () => 'the https URI of a data collection endpoint'),
  event_azure_invalid: kit.field(5139, 400, () => 'a non-empty text'),
})

const text = (sentence: string) => kit.documented(v.string(), sentence)
const secretText = (sentence: string) => kit.documented(v.pipe(v.string(), kit.secret), sentence)

/** Makes the schema of a text that must match a pattern. It may be absent in the body, which is refused with the same error. */
function matching<E extends parts.FieldError<string, object>>(error: E, pattern: RegExp, sentence: string) {
  const read = v.pipe(
    v.string(),
    refuseUnless(error, (value) => pattern.test(value)),
  )
  return kit.documented(v.optional(kit.documented(read, sentence), ''), sentence, { isRequired: true })
}

const role = kit.named(
  v.object({
    role_arn: matching(
      targetErrors.event_role_invalid,
      /^arn:[^:]+:iam::[^:]*:role\/.+$/,
      'The ARN of the role that the service takes.',
    ),
  }),
  'AwsRoleBody',
  'A role that the service takes.',
)

const creds = kit.named(
  v.object({
    aws_access_key_id: text('The id of the access key.'),
    aws_secret_access_key: secretText('The secret access key.'),
  }),
  'AwsCredentials',
  'An access key.',
)

const roleShape = kit.named(
  v.object({ role_arn: text('The ARN of the role.') }),
  'AwsRole',
  'A role that the service takes.',
)

const awsAuth = v.object({
  role: v.optional(kit.documented(role, 'The role that the service takes.')),
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

const auth = kit.named(checkedAuth, 'AwsAuthBody', 'How the service signs in to AWS.')

const AUTH = 'How the service signs in to AWS: `role` or `creds`.'

/** Makes the field of an ARN. */
function arnOf(service: string) {
  const sentence = `The ARN of the ${service} resource.`
  const arn = v.pipe(
    v.string(),
    kit.rule([targetErrors.event_arn_invalid], (text, report) => {
      if (!new RegExp(`^arn:[^:]+:${service}:.+$`).test(text)) report(targetErrors.event_arn_invalid, { service })
    }),
  )
  return kit.documented(v.optional(arn, ''), sentence, { isRequired: true })
}

/** Makes the schema of a target of AWS from the field of its ARN. */
function awsTarget<const Arn extends v.ObjectEntries>(arn: Arn, title: string, sentence: string) {
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

/** The sites of Datadog. */
const SITES = [
  'datadoghq.com',
  'us3.datadoghq.com',
  'us5.datadoghq.com',
  'datadoghq.eu',
  'ap1.datadoghq.com',
  'ap2.datadoghq.com',
  'ddog-gov.com',
]

const { event_api_key_missing, event_datadog_site_invalid } = targetErrors

const datadog = v.object({
  api_key: kit.documented(
    v.optional(
      v.pipe(
        v.string(),
        kit.secretHere,
        refuseUnless(event_api_key_missing, (key) => key !== ''),
      ),
      '',
    ),
    'The API key of Datadog.',
    { isRequired: true },
  ),
  ddtags: v.optional(text('The tags of the events.')),
  service: v.optional(text('The name of the service that sends the events.')),
  ddsite: v.optional(
    kit.documented(
      v.pipe(
        v.string(),
        kit.rule([event_datadog_site_invalid], (site, report) => {
          if (!SITES.includes(site)) report(event_datadog_site_invalid, { sites: SITES.join(', ') })
        }),
      ),
      'The site of Datadog.',
      { json: { enum: SITES } },
    ),
  ),
})

const { event_azure_invalid, event_azure_rule_missing, event_azure_stream_missing, event_azure_uri_invalid } =
  targetErrors
const SOME = /./

const azureFields = {
  tenant_id: matching(event_azure_invalid, SOME, 'The id of the tenant.'),
  client_id: matching(event_azure_invalid, SOME, 'The id of the client of the application.'),
  logs_ingestion_uri: matching(
    event_azure_uri_invalid,
    /^https:\/\/[^\s/]+/,
    'The URI of the data collection endpoint.',
  ),
  data_collection_rule_id: matching(event_azure_rule_missing, SOME, 'The immutable id of the data collection rule.'),
  data_collection_stream_name: matching(event_azure_stream_missing, SOME, 'The name of the stream in that rule.'),
}

const client_secret = secretText('The secret of that client.')
const azure = v.object({ ...azureFields, client_secret })

const targets = v.object({
  kinesis: awsTarget({ stream_arn: arnOf('kinesis') }, 'KinesisTargetBody', 'A stream of Kinesis.'),
  firehose: awsTarget(
    { delivery_stream_arn: arnOf('firehose') },
    'FirehoseTargetBody',
    'A delivery stream of Firehose.',
  ),
  cloudwatch_logs: awsTarget(
    { log_group_arn: arnOf('logs') },
    'CloudwatchLogsTargetBody',
    'A log group of CloudWatch.',
  ),
  datadog: v.optional(kit.named(datadog, 'DatadogTargetBody', 'An account of Datadog.')),
  azure_logs_ingestion: v.optional(
    kit.named(azure, 'AzureLogsIngestionTargetBody', 'A data collection endpoint of Azure.'),
  ),
})

type Targets = v.InferOutput<typeof targets>

/** The names of the kinds of targets. */
export const KINDS = Object.keys(targets.entries).join(', ')

const { event_target_missing, event_targets_several } = targetErrors

/** The target in a body: exactly one kind. */
export const target = kit.named(
  v.pipe(
    targets,
    kit.rule<Targets, typeof event_target_missing | typeof event_targets_several>(
      [event_target_missing, event_targets_several],
      (sent, report) => {
        const names = Object.keys(sent)
        if (names.length === 0) report(event_target_missing, { kinds: KINDS })
        if (names.length > 1) report(event_targets_several, { names: names.join(' and ') })
      },
    ),
  ),
  'EventTargetBody',
  'The place where events go.',
)

export type EventTarget = kit.Frozen<v.InferOutput<typeof target>>

const nullableText = kit.documented(v.nullable(v.string()), 'As sent; null if it was not.')

const authShape = kit.named(
  v.object({
    role: kit.documented(v.nullable(roleShape), 'The role, or null.'),
    creds: kit.documented(v.nullable(creds), 'The access key, or null.'),
  }),
  'AwsAuth',
  'How the service signs in to AWS. One of both is null.',
)

const ARN = text('The ARN of the resource.')

/** Makes the schema of a target of AWS in a response from the field of its ARN. */
function awsShape<const Arn extends v.ObjectEntries>(arn: Arn, title: string, sentence: string) {
  const shown = kit.named(v.object({ auth: kit.documented(authShape, AUTH), ...arn }), title, sentence)
  return kit.documented(v.nullable(shown), `${sentence} Null if the events go elsewhere.`)
}

const datadogShape = kit.named(
  v.object({
    api_key: kit.documented(v.pipe(v.string(), kit.secretHere), 'The API key of Datadog.'),
    ddtags: nullableText,
    service: nullableText,
    ddsite: nullableText,
  }),
  'DatadogTarget',
  'An account of Datadog.',
)

const azureShape = kit.named(
  v.object({ ...responseFields(azureFields), client_secret }),
  'AzureLogsIngestionTarget',
  'A data collection endpoint of Azure.',
)

/** The target in a response: all kinds, of which one is not null. */
export const targetShape = kit.named(
  v.object({
    kinesis: awsShape({ stream_arn: ARN }, 'KinesisTarget', 'A stream of Kinesis.'),
    firehose: awsShape({ delivery_stream_arn: ARN }, 'FirehoseTarget', 'A delivery stream of Firehose.'),
    cloudwatch_logs: awsShape({ log_group_arn: ARN }, 'CloudwatchLogsTarget', 'A log group of CloudWatch.'),
    datadog: kit.documented(v.nullable(datadogShape), 'An account of Datadog. Null if the events go elsewhere.'),
    azure_logs_ingestion: kit.documented(
      v.nullable(azureShape),
      'A data collection endpoint of Azure. Null if the events go elsewhere.',
    ),
  }),
  'EventTarget',
  'The place where events go. The kinds that it does not have are null.',
)

type Shown = kit.Frozen<v.InferOutput<typeof targetShape>>

const authView = (sent: kit.Frozen<v.InferOutput<typeof awsAuth>> | undefined) => ({
  role: sent?.role ?? null,
  creds: sent?.creds ?? null,
})

/** Returns the target of a response. */
export function targetView({ kinesis, firehose, cloudwatch_logs, datadog, azure_logs_ingestion }: EventTarget): Shown {
  return {
    kinesis: kinesis ? { ...kinesis, auth: authView(kinesis.auth) } : null,
    firehose: firehose ? { ...firehose, auth: authView(firehose.auth) } : null,
    cloudwatch_logs: cloudwatch_logs ? { ...cloudwatch_logs, auth: authView(cloudwatch_logs.auth) } : null,
    datadog: datadog
      ? {
          api_key: datadog.api_key,
          ddtags: datadog.ddtags ?? null,
          service: datadog.service ?? null,
          ddsite: datadog.ddsite ?? null,
        }
      : null,
    azure_logs_ingestion: azure_logs_ingestion ?? null,
  }
}
