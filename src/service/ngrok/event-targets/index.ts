/** The targets of event destinations. */
import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import { ARN, arnOf, awsShape, awsTarget, awsView } from './aws.ts'
import { azure, azureShape } from './azure.ts'
import { datadog, datadogShape, datadogView } from './datadog.ts'
import { targetErrors } from './errors.ts'

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

/** Returns the target of a response. */
export function targetView({ kinesis, firehose, cloudwatch_logs, datadog, azure_logs_ingestion }: EventTarget): Shown {
  return {
    kinesis: awsView(kinesis),
    firehose: awsView(firehose),
    cloudwatch_logs: awsView(cloudwatch_logs),
    datadog: datadogView(datadog),
    azure_logs_ingestion: azure_logs_ingestion ?? null,
  }
}
