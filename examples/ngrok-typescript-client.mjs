// ngrok's official TypeScript client, unmodified, against an emulator on a loopback port.
import { Ngrok } from '@ngrok/ngrok-api'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { certificatePair } from 'fauxgate/testing'

// This version of the client throws on the empty response of a DELETE: see emptyJsonOnDelete in docs/options.md.
const gateway = createNgrok({ emptyJsonOnDelete: true })
const server = await serve(gateway)
const client = new Ngrok({ apiToken: 'any key', baseUrl: server.url })

const pair = certificatePair({ names: ['app.example.com'] })
const certificate = await client.tlsCertificates.create({
  certificatePem: pair.certificate_pem,
  privateKeyPem: pair.private_key_pem,
})
console.log(`uploaded  ${certificate.subjectCommonName}, valid until ${certificate.notAfter}`)

const domain = await client.reservedDomains.create({ domain: 'app.example.com', certificateId: certificate.id })
console.log(`reserved  ${domain.domain}, point its CNAME to ${domain.cnameTarget}`)

await client.reservedDomains
  .create({ domain: 'app.example.com' })
  .catch((error) => console.log(`refused   ${error.errorCode}: ${error.msg}`))

for (const listed of await client.reservedDomains.list()) console.log(`listed    ${listed.domain}`)

await client.reservedDomains.delete(domain.id)
await client.tlsCertificates.delete(certificate.id)
console.log(`deleted   ${gateway.reservedDomains.list().reserved_domains.length} domains are left`)
await server.close()
