/** The targets of event destinations. */
import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import { ARN, arnOf, awsShape, awsTarget, awsView } from './aws.ts'
import { azure, azureShape } from './azure.ts'
import { datadog, datadogShape, datadogView } from './datadog.ts'
import { targetErrors } from './errors.ts'

const targets = v.object({
  kinesis: awsTarget({ stream_arn: arnOf('kinesis') }, 'KinesisTargetBody', 'A Kinesis stream.'),
  firehose: awsTarget({ delivery_stream_arn: arnOf('firehose') }, 'FirehoseTargetBody', 'A Firehose delivery stream.'),
  cloudwatch_logs: awsTarget({ log_group_arn: arnOf('logs') }, 'CloudwatchLogsTargetBody', 'A CloudWatch log group.'),
  datadog: v.optional(kit.named(datadog, 'DatadogTargetBody', 'A Datadog account.')),
  azure_logs_ingestion: v.optional(
    kit.named(azure, 'AzureLogsIngestionTargetBody', 'An Azure data collection endpoint.'),
  ),
})

type Targets = v.InferOutput<typeof targets>

/** The names of the target kinds. */
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
  'The target of the events.',
)

export type EventTarget = kit.Frozen<v.InferOutput<typeof target>>

/** The target in a response: one entry per kind. All entries but one are null. */
export const targetShape = kit.named(
  v.object({
    kinesis: awsShape({ stream_arn: ARN }, 'KinesisTarget', 'A Kinesis stream.'),
    firehose: awsShape({ delivery_stream_arn: ARN }, 'FirehoseTarget', 'A Firehose delivery stream.'),
    cloudwatch_logs: awsShape({ log_group_arn: ARN }, 'CloudwatchLogsTarget', 'A CloudWatch log group.'),
    datadog: kit.documented(v.nullable(datadogShape), 'A Datadog account. Null if the events go elsewhere.'),
    azure_logs_ingestion: kit.documented(
      v.nullable(azureShape),
      'An Azure data collection endpoint. Null if the events go elsewhere.',
    ),
  }),
  'EventTarget',
  'The target of the events. All other kinds are null.',
)

type Shown = kit.Frozen<v.InferOutput<typeof targetShape>>

/** Returns the target for a response. */
export function targetView({ kinesis, firehose, cloudwatch_logs, datadog, azure_logs_ingestion }: EventTarget): Shown {
  return {
    kinesis: awsView(kinesis),
    firehose: awsView(firehose),
    cloudwatch_logs: awsView(cloudwatch_logs),
    datadog: datadogView(datadog),
    azure_logs_ingestion: azure_logs_ingestion ?? null,
  }
}
