// Jest with jsdom: no polyfills. Where the environment has no fetch, install() brings one that answers for the gateway.
const { createNgrok } = require('fauxgate/ngrok')
const { testWithGateway } = require('fauxgate/testing')
const { showDomains } = require('./status.cjs')

const it = testWithGateway(test, { create: createNgrok })
const managed = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }

it('shows a domain before and after its certificate', async ({ gateway }) => {
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

it('shows that the service is not available', async ({ gateway }) => {
  gateway.install()
  gateway.faults.add({ operation: 'reserved_domains.list', times: 1, status: 503 })
  const list = document.createElement('ul')
  await showDomains(list, gateway.url)
  expect(list.textContent).toBe('Domains cannot be shown: 503')
})
