import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { listen } from '../../support/serve.ts'

/** Starts a server that gets events, until the end of the test. */
export async function receiveEvents() {
  const received: { url: string | undefined; headers: IncomingMessage['headers']; events: object[] }[] = []
  const receiver = { url: '', status: 200, received, attempts: 0 }
  const server = createServer(async (request, response) => {
    const events = JSON.parse(await text(request))
    receiver.attempts++
    if (receiver.status === 200) received.push({ url: request.url, headers: request.headers, events })
    response.writeHead(receiver.status).end()
  })
  receiver.url = await listen(server)
  return receiver
}

/** An access key of AWS. */
export const auth = { creds: { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'a secret access key' } }
/** A target of Azure. */
export const azure = {
  tenant_id: 't',
  client_id: 'c',
  client_secret: 'a secret of azure',
  logs_ingestion_uri: 'https://a.ingest.monitor.azure.com',
  data_collection_rule_id: 'dcr-1',
  data_collection_stream_name: 'Custom-1',
}

/** Opens a gateway that posts events for Datadog to a URL, and subscribes two destinations to new vaults. */
export function openGateway(url: string) {
  const clock = manualClock(CLOCK_START)
  const gateway = createNgrok({ seed: 'events', clock, destinations: { datadog: `${url}/logs` } })
  return { gateway, ...subscribeTo(gateway) }
}

/** Subscribes a destination of Datadog and one of Kinesis to new vaults. */
export function subscribeTo(gateway: ReturnType<typeof createNgrok>) {
  const target = { datadog: { api_key: 'the key', service: 'gateway', ddtags: 'env:test' } }
  const datadog = gateway.eventDestinations.create({ format: 'json', target })
  const stream_arn = 'arn:aws:kinesis:us-east-1:123456789012:stream/one'
  const kinesis = gateway.eventDestinations.create({ format: 'json', target: { kinesis: { stream_arn, auth } } })
  gateway.eventSubscriptions.create({
    sources: [{ type: 'vault_created.v0' }],
    destination_ids: [datadog.id, kinesis.id],
  })
  const list = () => gateway.sentEvents.list({ destination: datadog.id })
  return { datadog, kinesis, list }
}
