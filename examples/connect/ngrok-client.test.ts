// ngrok's official TypeScript client, unmodified, against a gateway on a loopback port.
import { Ngrok } from '@ngrok/ngrok-api'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { certificatePair } from 'fauxgate/testing'
import { testUsing } from 'fauxgate/vitest'
import { expect, onTestFinished } from 'vitest'

// This version of the client throws on the empty response of a DELETE: see emptyJsonOnDelete in docs/options.md.
const test = testUsing((options) => createNgrok({ emptyJsonOnDelete: true, ...options }))

test('the official client uploads a certificate, reserves a domain, and deletes both', async ({ gateway }) => {
  const server = await serve(gateway)
  onTestFinished(() => server.close())
  const client = new Ngrok({ apiToken: 'any key', baseUrl: server.url })

  const { certificate_pem, private_key_pem } = certificatePair({ names: ['app.example.com'] })
  const pair = { certificatePem: certificate_pem, privateKeyPem: private_key_pem }
  const certificate = await client.tlsCertificates.create(pair)
  expect(certificate.subjectCommonName).toBe('app.example.com')

  // The types of the client require a region.
  const body = { domain: 'app.example.com', region: '' }
  const domain = await client.reservedDomains.create({ ...body, certificateId: certificate.id })
  const again = client.reservedDomains.create(body)
  await expect(again).rejects.toMatchObject({ errorCode: 'ERR_NGROK_413' })
  const listed: string[] = []
  for (const each of await client.reservedDomains.list()) listed.push(each.domain)
  expect(listed).toEqual(['app.example.com'])

  await client.reservedDomains.delete(domain.id)
  await client.tlsCertificates.delete(certificate.id)
  expect(gateway).toHaveNoLeftovers()
})
