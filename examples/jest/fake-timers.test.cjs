// Jest's fake timers: a gateway without a clock follows them, and so do its delayed responses.
const { createNgrok } = require('fauxgate/ngrok')

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** The code under test: waits until a domain has its certificate, with a request every 7 s. */
async function waitForCertificate(id, { fetch, baseUrl }) {
  for (;;) {
    const answer = await fetch(`${baseUrl}/reserved_domains/${id}`, { headers })
    const { certificate } = await answer.json()
    if (certificate) return new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 7000))
  }
}

let gateway
let id
beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') })
  gateway = createNgrok({ seed: expect.getState().currentTestName })
  const policy = { authority: 'letsencrypt' }
  id = gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy }).id
})
afterEach(() => jest.useRealTimers())

test('an application that polls sees the certificate in time', async () => {
  const at = waitForCertificate(id, { fetch: gateway.fetch, baseUrl: gateway.url })
  await jest.advanceTimersByTimeAsync(60_000)
  expect(await at).toBe('2026-01-01T00:00:35.000Z')
})

test('settled() waits for fake time', async () => {
  const settled = gateway.provisioning.settled(id)
  await jest.advanceTimersByTimeAsync(30_000)
  expect((await settled).certificate).not.toBeNull()
})

test('a delayed answer comes in fake time, from fetch and from delivered()', async () => {
  gateway.faults.add({ latency: '2s' })
  const url = `${gateway.url}/reserved_domains/${id}`
  const answer = gateway.fetch(url, { headers })
  const header = (name) => headers[name] ?? null
  const delivered = gateway.transport.delivered(gateway.transport.exchange({ method: 'GET', url, header, body: '' }))
  await jest.advanceTimersByTimeAsync(1999)
  expect(jest.getTimerCount()).toBe(2)
  await jest.advanceTimersByTimeAsync(1)
  expect((await answer).status).toBe(200)
  expect((await delivered).status).toBe(200)
  expect(jest.getTimerCount()).toBe(0)
})
