// The fake timers of node:test: a gateway without a clock follows them, and so do its delayed responses.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createNgrok } from 'fauxgate/ngrok'

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }

/** The code under test: waits until a domain has its certificate, with a request every 7 s. */
async function waitForCertificate(id, { fetch, baseUrl }) {
  for (;;) {
    const answer = await fetch(`${baseUrl}/reserved_domains/${id}`, { headers })
    const { certificate } = await answer.json()
    if (certificate) return new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 7000))
  }
}

/** Advances fake time second by second, and lets promises continue in between, which `tick` does not. */
async function pass(timers, seconds) {
  await new Promise(setImmediate)
  for (let left = seconds; left > 0; left--) {
    timers.tick(1000)
    await new Promise(setImmediate)
  }
}

let gateway
let id
beforeEach((t) => {
  // setImmediate is not faked, so the host's own work continues.
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.parse('2026-01-01T00:00:00Z') })
  gateway = createNgrok({ seed: t.name })
  const policy = { authority: 'letsencrypt' }
  id = gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy }).id
})

test('an application that polls sees the certificate in time', async (t) => {
  const at = waitForCertificate(id, { fetch: gateway.fetch, baseUrl: gateway.url })
  await pass(t.mock.timers, 60)
  assert.equal(await at, '2026-01-01T00:00:35.000Z')
})

test('settled() waits for fake time', async (t) => {
  const settled = gateway.provisioning.settled(id)
  t.mock.timers.tick(30_000)
  assert.notEqual((await settled).certificate, null)
})

test('a delayed response comes in fake time', async (t) => {
  gateway.faults.add({ latency: '2s' })
  const answer = gateway.fetch(`${gateway.url}/reserved_domains/${id}`, { headers })
  let came = false
  answer.then(() => (came = true))
  await pass(t.mock.timers, 1)
  assert.equal(came, false)
  await pass(t.mock.timers, 1)
  assert.equal((await answer).status, 200)
})
