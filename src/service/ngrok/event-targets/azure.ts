import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import { responseFields } from '../shared.ts'
import { targetErrors } from './errors.ts'
import { secretText, textMatching } from './fields.ts'

const { event_azure_invalid, event_azure_rule_missing, event_azure_stream_missing, event_azure_uri_invalid } =
  targetErrors
const SOME = /./

const azureFields = {
  tenant_id: textMatching(event_azure_invalid, SOME, 'The tenant ID.'),
  client_id: textMatching(event_azure_invalid, SOME, "The application's client ID."),
  logs_ingestion_uri: textMatching(
    event_azure_uri_invalid,
    /^https:\/\/[^\s/]+/,
    'The URI of the data collection endpoint.',
  ),
  data_collection_rule_id: textMatching(
    event_azure_rule_missing,
    SOME,
    'The immutable ID of the data collection rule.',
  ),
  data_collection_stream_name: textMatching(
    event_azure_stream_missing,
    SOME,
    'The name of the stream in the data collection rule.',
  ),
}

const client_secret = secretText('The client secret.')
/** The schema of an Azure target. */
export const azure = v.object({ ...azureFields, client_secret })

/** The response schema of an Azure target. */
export const azureShape = kit.named(
  v.object({ ...responseFields(azureFields), client_secret }),
  'AzureLogsIngestionTarget',
  'An Azure data collection endpoint.',
)
