import { describe, expect, test } from 'vitest'
import { azure } from '../../control/sent-events/support.ts'
import { openGateway } from './support.ts'

const role = { role_arn: 'arn:aws:iam::123456789012:role/events' }
const creds = { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'a secret access key' }
const auth = { role }
const kinesis = { stream_arn: 'arn:aws:kinesis:us-east-1:123456789012:stream/one', auth }
const destination = { format: 'json', target: { kinesis } } as const

describe('An event destination (rules: ngrok-families#events)', () => {
  test.each([
    { kinesis },
    { kinesis: { ...kinesis, auth: { creds } } },
    { firehose: { delivery_stream_arn: 'arn:aws:firehose:eu-west-1:1:deliverystream/a', auth } },
    { cloudwatch_logs: { log_group_arn: 'arn:aws:logs:eu-west-1:1:log-group:a', auth } },
    { datadog: { api_key: 'a key of datadog', ddsite: 'datadoghq.eu' } },
    { azure_logs_ingestion: azure },
  ])('has one target, and null for the other kinds: %o', (target) => {
    const { gateway } = openGateway()
    const { target: shown } = gateway.eventDestinations.create({ format: 'json', target })
    const [[kind, sent] = ['', {}]] = Object.entries(target)
    expect(
      Object.entries(shown)
        .filter(([, value]) => value !== null)
        .map(([name]) => name),
    ).toEqual([kind])
    const { auth: sentAuth, ...others } = sent as { auth?: object }
    expect(Reflect.get(shown, kind)).toMatchObject(others)
    if (sentAuth) expect(Reflect.get(shown, kind).auth).toEqual({ role: null, creds: null, ...sentAuth })
  })

  test.each<[number: number, json: object]>([
    [235, { format: 'xml' }],
    [235, { format: undefined }],
    [5100, { target: {} }],
    [5100, { target: undefined }],
    [5104, { target: { kinesis: { ...kinesis, auth: { role: { role_arn: 'nonsense' } } } } }],
    [5106, { target: { kinesis: { ...kinesis, auth: undefined } } }],
    [5107, { target: { kinesis: { ...kinesis, auth: {} } } }],
    [5115, { target: { kinesis, datadog: { api_key: 'a key' } } }],
    [5116, { target: { kinesis: { ...kinesis, auth: { role, creds } } } }],
    [5130, { target: { kinesis: { ...kinesis, stream_arn: 'arn:aws:s3:::bucket' } } }],
    [5133, { target: { datadog: {} } }],
    [5134, { target: { datadog: { api_key: 'a key', ddsite: 'example.com' } } }],
    [5136, { target: { azure_logs_ingestion: { ...azure, data_collection_rule_id: '' } } }],
    [5137, { target: { azure_logs_ingestion: { ...azure, data_collection_stream_name: '' } } }],
    [5138, { target: { azure_logs_ingestion: { ...azure, logs_ingestion_uri: 'http://a' } } }],
    [5139, { target: { azure_logs_ingestion: { ...azure, tenant_id: '' } } }],
  ])('is rejected with %i: %o', async (number, json) => {
    const { sendRefused } = openGateway()
    const outcome = await sendRefused('POST', '/event_destinations', { json: { ...destination, ...json } })
    expect(outcome).toBe(`400 ERR_NGROK_${number}`)
  })

  test('keeps its kind of target, and its secrets to itself', async () => {
    const { gateway, send, sendRefused } = openGateway()
    const json = { format: 'json', target: { kinesis: { ...kinesis, auth: { creds } } } }
    const { body } = await send('POST', '/event_destinations', { json })
    const path = `/event_destinations/${body.id}`
    const other = { target: { datadog: { api_key: 'a key of datadog' } } }
    expect(await sendRefused('PATCH', path, { json: other })).toBe('400 ERR_NGROK_5108')
    const changed = { target: { kinesis } }
    expect((await send('PATCH', path, { json: changed })).body.target.kinesis.auth).toEqual({ role, creds: null })
    const shown = JSON.stringify([gateway.requests.all(), gateway.snapshot()])
    for (const secret of [creds.aws_secret_access_key, 'a key of datadog']) expect(shown).not.toContain(secret)
  })

  test('stays while a subscription has it', async () => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.eventDestinations.create(destination)
    const subscription = gateway.eventSubscriptions.create({ destination_ids: [id] })
    expect(await sendRefused('DELETE', `/event_destinations/${id}`)).toBe('400 ERR_NGROK_5112')
    gateway.eventSubscriptions.update(subscription.id, { destination_ids: [] })
    gateway.eventDestinations.delete(id)
  })

  test('is limited by the account', async () => {
    const none = openGateway({ account: { limits: { event_destinations: 0, event_subscriptions: 0 } } })
    expect(await none.sendRefused('POST', '/event_destinations', { json: destination })).toBe('400 ERR_NGROK_5128')
    expect(await none.sendRefused('POST', '/event_subscriptions', { json: {} })).toBe('400 ERR_NGROK_5124')
    const one = openGateway({ account: { limits: { event_destinations: 1, event_subscriptions: 1 } } })
    one.gateway.eventDestinations.create(destination)
    one.gateway.eventSubscriptions.create()
    expect(await one.sendRefused('POST', '/event_destinations', { json: destination })).toBe('400 ERR_NGROK_5102')
    expect(await one.sendRefused('POST', '/event_subscriptions', { json: {} })).toBe('400 ERR_NGROK_5131')
  })
})

describe('An event subscription (rules: ngrok-families#events)', () => {
  test.each<[number: number, json: object]>([
    [238, { sources: [{ type: 'nonsense' }] }],
    [238, { sources: [{}] }],
    [5103, { destination_ids: ['ed_1'] }],
    [5126, { destination_ids: Array.from({ length: 6 }, (_, index) => `ed_${index}`) }],
    [5127, { sources: [{ type: 'vault_created.v0' }, { type: 'vault_created.v0' }] }],
  ])('is rejected with %i: %o', async (number, json) => {
    const { sendRefused } = openGateway()
    expect(await sendRefused('POST', '/event_subscriptions', { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('has its sources as resources of their own', async () => {
    const { gateway, send, sendRefused } = openGateway()
    const { id: subscription_id } = gateway.eventSubscriptions.create({ sources: [{ type: 'domain_created.v0' }] })
    const path = `/event_subscriptions/${subscription_id}/sources`
    const added = await send('POST', path, { json: { type: 'secret_updated.v0' } })
    expect([added.status, added.body]).toEqual([
      201,
      { type: 'secret_updated.v0', uri: `${gateway.url}${path}/secret_updated.v0` },
    ])
    expect(await sendRefused('POST', path, { json: { type: 'secret_updated.v0' } })).toBe('400 ERR_NGROK_5127')
    const types = () => gateway.eventSources.list(subscription_id).sources.map(({ type }) => type)
    expect(types()).toEqual(['domain_created.v0', 'secret_updated.v0'])
    const at = { subscription_id, type: 'domain_created.v0' }
    expect(gateway.eventSources.update(at)).toEqual(gateway.eventSources.get(at))
    gateway.eventSources.delete(at)
    expect(types()).toEqual(['secret_updated.v0'])
    expect(gateway.eventSubscriptions.get(subscription_id).sources.map(({ type }) => type)).toEqual(types())
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { json: {} } : {}
      expect(await sendRefused(method, `${path}/domain_created.v0`, json)).toBe('404 ERR_NGROK_5125')
    }
  })
})
