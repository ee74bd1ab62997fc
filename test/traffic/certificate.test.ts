import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { DECISIONS } from '../../src/service/policy/decisions.ts'
import { CLOCK_START } from '../support/clock.ts'
import { upload } from '../support/pem.ts'
import { policyOf } from './visits.ts'

const POLICY = policyOf('custom-response', { status_code: 200, body: 'hello' })

/** Creates a gateway with a cloud endpoint at a reserved domain, and a function that sends a visitor there. */
function createVisited(domain = 'app.example.com', url = `https://${domain}`) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START) })
  const reserved = gateway.reservedDomains.create({ domain })
  gateway.endpoints.create({ url, type: 'cloud', bindings: ['public'], traffic_policy: POLICY })
  const visit = (from: { readonly insecure?: boolean } = {}, at = url) => gateway.traffic.fetch(at, { from })
  return { gateway, domain: reserved, visit }
}

const lastStep = ({ gateway }: ReturnType<typeof createVisited>) => gateway.traffic.last()?.trace.at(-1)

const MISMATCH = { message: 'fetch failed', cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } }
const EXPIRED = { message: 'fetch failed', cause: { code: 'CERT_HAS_EXPIRED' } }

describe('A visitor who verifies certificates (rules: traffic#certificate)', () => {
  test('rejects the default certificate before the first is issued, with or without a failure', async () => {
    const visited = createVisited()
    const { gateway, visit } = visited
    await expect(visit()).rejects.toMatchObject(MISMATCH)
    expect(lastStep(visited)).toEqual({
      step: 'certificate',
      did: 'presented its default certificate for *.ngrok.io: app.example.com has no certificate yet',
      isEnd: true,
    })
    expect(gateway.traffic.last()).toMatchObject({ status: null, rule: null, upstream: null })
    expect(gateway.report()).toContain('GET https://app.example.com/ without a response')
    gateway.provisioning.script(['DNS_ERROR', 'success'])
    gateway.clock.advance('1m')
    await expect(visit()).rejects.toMatchObject(MISMATCH)
    expect(lastStep(visited)).toMatchObject({
      did: expect.stringMatching(/and its last attempt ended with DNS_ERROR$/),
    })
    gateway.clock.advance('1h')
    expect(await (await visit()).text()).toBe('hello')
    expect(gateway.traffic.last()?.trace.map((each) => 'step' in each && each.step)).not.toContain('certificate')
  })

  test('says in the error what was presented, and how to accept it', async () => {
    const { visit } = createVisited()
    const error: unknown = await visit().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(String(Object(error).cause.message)).toBe(
      'The gateway presented its default certificate for *.ngrok.io: app.example.com has no certificate yet. Wait until the domain has its certificate, or set provisioningDelay: 0 to issue certificates immediately, or accept any certificate: { from: { insecure: true } }.',
    )
  })

  test('rejects a certificate for another name, and a wildcard covers one label', async () => {
    const { gateway, domain, visit } = createVisited('app.example.org')
    const { certificate_pem, private_key_pem } = upload()
    const { id } = gateway.tlsCertificates.create({ certificate_pem, private_key_pem })
    gateway.reservedDomains.update(domain.id, { certificate_id: id })
    await expect(visit()).rejects.toMatchObject(MISMATCH)
    const wild = createVisited('*.example.com')
    wild.gateway.clock.advanceToNext()
    expect((await wild.visit({}, 'https://a.example.com/')).status).toBe(200)
    await expect(wild.visit({}, 'https://a.b.example.com/')).rejects.toMatchObject(MISMATCH)
    expect((await wild.visit({ insecure: true }, 'https://a.b.example.com/')).status).toBe(200)
  })

  test('rejects a certificate that has ended, while renewals fail', async () => {
    const visited = createVisited()
    const { gateway, domain, visit } = visited
    gateway.clock.advanceToNext()
    expect((await visit()).status).toBe(200)
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.provisioning.expireNow(domain.id)
    await expect(visit()).rejects.toMatchObject(EXPIRED)
    expect(lastStep(visited)).toMatchObject({
      did: expect.stringMatching(/"app.example.com", which expired at /),
      decision: DECISIONS.certificate,
    })
    expect((await visit({ insecure: true })).status).toBe(200)
  })
})

describe('A visitor gets through before there is a certificate (rules: traffic#certificate)', () => {
  test('if it accepts any certificate, and the trace names the one that was presented', async () => {
    const { gateway, visit } = createVisited()
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.clock.advance('1h')
    expect(await (await visit({ insecure: true })).text()).toBe('hello')
    const step = gateway.traffic.last()?.trace.find((each) => 'step' in each && each.step === 'certificate')
    expect(step).toEqual({ step: 'certificate', did: expect.stringContaining('*.ngrok.io') })
  })

  test('over http, which has no certificate, also after the job has failed', async () => {
    const { gateway, visit } = createVisited('app.example.com', 'http://app.example.com')
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.clock.advance('1h')
    expect((await visit()).status).toBe(200)
  })

  test("at a domain of the service, which has the service's own certificate", async () => {
    const { visit } = createVisited('app.ngrok.app')
    expect((await visit()).status).toBe(200)
  })

  test('at an endpoint that was declared without its domain', async () => {
    const gateway = createNgrok()
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.example.com' }] })
    gateway.traffic.upstream('https://app.example.com', () => new Response('up'))
    expect((await gateway.traffic.fetch('https://app.example.com')).status).toBe(200)
  })
})
