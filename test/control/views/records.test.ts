import { expect, test } from 'vitest'
import { toInspected } from '../../../src/gateway/inspected.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { createName, leafCertificate } from '../../../src/service/x509/issue.ts'
import { writePem } from '../../../src/service/x509/pem.ts'
import { createMaterial } from '../../../src/testing/certificates-chain.ts'
import { readPairOptions } from '../../../src/testing/certificates-options.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { upload } from '../../support/pem.ts'
import { openManual, timeAfter } from '../../support/provisioning.ts'

async function listRecords(gateway: ReturnType<typeof openManual>, query: string) {
  return (await gateway.fetch(`http://localhost/_fauxgate/records?${query}`)).json()
}

test('The records that use a resource are found by its id, as a value, as a key and in the ids of a module', async () => {
  const gateway = createNgrok()
  const backend = gateway.httpResponseBackends.create({ body: 'hello' })
  const weighted = gateway.weightedBackends.create({ description: 'both', backends: { [backend.id]: 1 } })
  const edge = gateway.httpsEdges.create({ description: 'web' })
  const { id } = gateway.httpsEdgeRoutes.create(edge.id, { match: '/', backend: { backend_id: backend.id } })
  const answer = await gateway.fetch(`http://localhost/_fauxgate/records?using=${backend.id}`)
  expect(await answer.json()).toEqual([
    { collection: 'weighted_backends', key: weighted.id, name: 'both' },
    { collection: 'route_backend', key: `${edge.id}/${id}`, name: '' },
  ])
})

test('The key of a route has the ids of its edge and of itself, like the keys of its modules', async () => {
  const gateway = createNgrok()
  const edge = gateway.httpsEdges.create({ description: 'web' })
  const { id } = gateway.httpsEdgeRoutes.create(edge.id, { match: '/' })
  const answer = await gateway.fetch(`http://localhost/_fauxgate/records?using=${edge.id}`)
  expect(await answer.json()).toContainEqual({ collection: 'https_edge_routes', key: `${edge.id}/${id}`, name: '/' })
})

test('The records of a collection are listed, newest first, and so are those that use a resource', async () => {
  const gateway = openManual()
  const certificate = gateway.tlsCertificates.create(upload())
  const [one, other] = ['one.example.com', 'other.example.com'].map((domain) =>
    gateway.reservedDomains.create({ domain, certificate_id: certificate.id }),
  )
  const expected = [other, one].map((each) => ({ collection: 'reserved_domains', key: each?.id, name: each?.domain }))
  expect(await listRecords(gateway, 'collection=reserved_domains')).toEqual(expected)
  expect(await listRecords(gateway, `using=${certificate.id}`)).toEqual(expected)
  expect(await listRecords(gateway, 'using=nobody')).toEqual([])
})

test('The name of no collection is rejected, with all names', async () => {
  const gateway = createNgrok()
  const list = (name: string) => gateway.fetch(`http://localhost/_fauxgate/records?collection=${name}`)
  for (const name of ['nope', 'reserved_domain', '', 'toString', '__proto__']) {
    const response = await list(name)
    expect(response.status).toBe(400)
    expect((await response.json()).msg).toMatch(/^collection is .+\. Allowed: .*\breserved_addrs, reserved_domains\b/)
  }
  for (const name of ['https_edges', 'route_backend']) expect((await list(name)).status).toBe(200)
})

test('An edge uses a domain that is in its hostports, before the port', async () => {
  const gateway = createNgrok()
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const edge = gateway.httpsEdges.create({ description: 'web', hostports: ['app.example.com:443'] })
  const response = await gateway.fetch(
    'http://localhost/_fauxgate/records?collection=https_edges&using=app.example.com',
  )
  expect(await response.json()).toEqual([{ collection: 'https_edges', key: edge.id, name: 'app.example.com:443' }])
})

test('The timeline of a domain names a certificate for other names, and one that has expired', () => {
  const gateway = openManual()
  const { id, not_after } = gateway.tlsCertificates.create(upload())
  gateway.reservedDomains.create({ domain: 'not-in-it.example.net', certificate_id: id })
  const readProblem = () => toInspected(gateway).timelines({ order: 'failing' }).timelines[0]?.problem
  expect(readProblem()).toMatch(/^The certificate is for .*, not for not-in-it\.example\.net\.$/)
  gateway.clock.advanceTo(not_after)
  expect(readProblem()).toBe(`The certificate expired at ${not_after}.`)
})

/** Creates a certificate that is valid for a year, and whose issuer expires after 30 days. */
function createPairWithExpiringIssuer(name: string) {
  const plan = readPairOptions({ names: ['issuer.example.com'], notBefore: CLOCK_START, notAfter: timeAfter('30d') })
  const issuer = createMaterial(plan)
  const { key } = createMaterial(readPairOptions({ names: [name] }))
  const times = { not_before: plan.notBefore, not_after: Date.parse(timeAfter('365d')) }
  const leaf = leafCertificate(
    { serial: 1n, subject: [], key, keyType: 'ecdsa', ...times, names: [name], ips: [] },
    { name: createName(...plan.subject), key: issuer.key },
  )
  const certificate_pem = [leaf, issuer.chain[0]].map((der) => writePem('CERTIFICATE', der)).join('')
  return { certificate_pem, private_key_pem: writePem('PRIVATE KEY', key.pkcs8) }
}

test('The timeline of a domain names an issuer in the chain that expired before the certificate', () => {
  const gateway = openManual()
  const domain = 'app.example.com'
  const { id } = gateway.tlsCertificates.create(createPairWithExpiringIssuer(domain))
  gateway.reservedDomains.create({ domain, certificate_id: id })
  const readProblem = () => toInspected(gateway).timelines({ order: 'failing' }).timelines[0]?.problem
  expect(readProblem()).toBeUndefined()
  gateway.clock.advanceTo(timeAfter('30d'))
  const expired = `An issuer in the chain of the certificate expired at ${timeAfter('30d')}.`
  expect(readProblem()).toBe(expired)
  gateway.restore(gateway.snapshot())
  expect(readProblem()).toBe(expired)
})
