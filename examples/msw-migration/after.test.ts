import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
import { expect } from 'vitest'
import { reserve, waitForCertificate } from './domains.ts'

const test = testUsing(createNgrok)
test.beforeEach(({ gateway }) => void gateway.install({ others: 'refuse' }))

test('waits for the certificate', async ({ gateway }) => {
  const { id } = await reserve('app.example.com')
  expect(await waitForCertificate(id, async () => gateway.clock.advance('30s'))).toMatch(/^cert_/)
})

test('reports a name that is taken', async () => {
  await reserve('app.example.com')
  await expect(reserve('app.example.com')).rejects.toThrow('ERR_NGROK_413')
})

test('tries once more when the service is overloaded', async ({ gateway }) => {
  gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 503 })
  await reserve('app.example.com')
  expect(gateway.reservedDomains.list().reserved_domains.map(({ domain }) => domain)).toEqual(['app.example.com'])
})
