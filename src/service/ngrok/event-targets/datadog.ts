import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import { refuseUnless } from '../shared.ts'
import { targetErrors } from './errors.ts'
import { text } from './fields.ts'

/** The Datadog sites. */
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

/** The schema of a Datadog target. */
export const datadog = v.object({
  api_key: kit.documented(
    v.optional(
      v.pipe(
        v.string(),
        kit.secretHere,
        refuseUnless(event_api_key_missing, (key) => key !== ''),
      ),
      '',
    ),
    'The Datadog API key.',
    { isRequired: true },
  ),
  ddtags: v.optional(text('The tags to add to the events.')),
  service: v.optional(text('The name of the service that sends the events.')),
  ddsite: v.optional(
    kit.documented(
      v.pipe(
        v.string(),
        kit.rule([event_datadog_site_invalid], (site, report) => {
          if (!SITES.includes(site)) report(event_datadog_site_invalid, { sites: SITES.join(', ') })
        }),
      ),
      'The Datadog site.',
      { json: { enum: SITES } },
    ),
  ),
})

const nullableText = kit.documented(v.nullable(v.string()), 'As sent; null if omitted.')

/** The response schema of a Datadog target. */
export const datadogShape = kit.named(
  v.object({
    api_key: kit.documented(v.pipe(v.string(), kit.secretHere), 'The Datadog API key.'),
    ddtags: nullableText,
    service: nullableText,
    ddsite: nullableText,
  }),
  'DatadogTarget',
  'A Datadog account.',
)

/** Returns a Datadog target for a response, or null if there is none. */
export function datadogView(sent: kit.Frozen<v.InferOutput<typeof datadog>> | undefined) {
  if (!sent) return null
  const { api_key, ddtags = null, service = null, ddsite = null } = sent
  return { api_key, ddtags, service, ddsite }
}
