// vitest's browser mode: the gateway runs in the page, beside the code under test. No server, no service worker.
import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
import { expect } from 'vitest'
import { showDomains } from './page.ts'

const test = testUsing(createNgrok)
const managed = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }

test('shows a domain before and after its certificate', async ({ gateway }) => {
  gateway.install()
  gateway.reservedDomains.create(managed)
  const list = document.createElement('ul')
  await showDomains(list, gateway.url)
  expect(list.textContent).toBe('app.example.com: in progress')
  gateway.clock.advance('30s')
  await showDomains(list, gateway.url)
  expect(list.textContent).toBe('app.example.com: secured')
  expect(gateway).toHaveCertificate('app.example.com')
})

test('shows that the service is not available', async ({ gateway }) => {
  gateway.install()
  gateway.faults.add({ operation: 'reserved_domains.list', times: 1, status: 503 })
  const list = document.createElement('ul')
  await showDomains(list, gateway.url)
  expect(list.textContent).toBe('Domains cannot be shown: 503')
})
