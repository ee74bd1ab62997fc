// Install the gateway as the global fetch, for code that takes no fetch.
import assert from 'node:assert/strict'
import { createNgrok } from 'fauxgate/ngrok'

/** The code under test. */
async function reserve(domain) {
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }
  const body = JSON.stringify({ domain })
  const answer = await fetch('https://gateway.example/reserved_domains', { method: 'POST', headers, body })
  return answer.json()
}

const before = globalThis.fetch
const gateway = createNgrok({ baseUrl: 'https://gateway.example', seed: 'install' })
// With `using`: using installed = gateway.install({ others: 'refuse' })
const installed = gateway.install({ others: 'refuse' })
try {
  const { id } = await reserve('app.example.com')
  assert.equal(gateway.reservedDomains.get(id).domain, 'app.example.com')
  await assert.rejects(fetch('https://elsewhere.example/'), /other requests are rejected/)
  console.log(`reserved ${id} with the global fetch; requests to elsewhere were rejected`)
} finally {
  installed.uninstall()
}
assert.equal(globalThis.fetch, before)
