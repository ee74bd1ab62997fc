// Uses the sandboxes that `npm start` has started, as two branches of a project would: `npm run check`.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const home = process.env.SANDBOXES_URL ?? 'http://127.0.0.1:8787'
const key = process.env.ACCOUNT_KEY ?? readFileSync('fauxgate-sandboxes/account-key', 'utf8').trim()
const account = { 'Fauxgate-Account-Key': key }

async function send(method, url, { headers, body } = {}) {
  const sent = body && { body: JSON.stringify(body), headers: { ...headers, 'Content-Type': 'application/json' } }
  const response = await fetch(url, { method, headers, ...sent })
  const text = await response.text()
  return { status: response.status, body: text && JSON.parse(text) }
}

const name = `check-${process.pid}`
const options = { dialect: 'ngrok', clock: 'manual', start: '2026-01-01T00:00:00Z', ttl: '1h' }
const main = await send('PUT', `${home}/s/${name}`, { headers: account, body: options })
assert.equal(main.status, 201)
console.log(`Created ${main.body.url}`)

const client = { Authorization: `Bearer ${main.body.api_key}`, 'Ngrok-Version': '2' }
const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
const domain = { domain: 'app.example.com', certificate_management_policy: policy }
const created = await send('POST', `${main.body.url}/reserved_domains`, { headers: client, body: domain })
assert.equal(created.status, 201)
assert.ok(created.body.uri.startsWith(main.body.url))

const branch = await send('POST', `${main.body.url}/fork`, {
  headers: account,
  body: { name: `${name}-branch`, ttl: '1h' },
})
assert.equal(branch.status, 201)
console.log(`Forked it to ${branch.body.url}`)

for (const { url, api_key, control_key } of [main.body, branch.body]) {
  const control = { 'Fauxgate-Control-Key': control_key }
  const clock = await send('POST', `${url}/_fauxgate/clock`, { headers: control, body: { advance: '30s' } })
  assert.equal(clock.body.now, '2026-01-01T00:00:30Z')
  const headers = { Authorization: `Bearer ${api_key}`, 'Ngrok-Version': '2' }
  const { body } = await send('GET', `${url}/reserved_domains/${created.body.id}`, { headers })
  assert.ok(body.certificate.id)
}
console.log('Both have the certificate, each by its own clock')

const foreign = await send('GET', `${branch.body.url}/reserved_domains`, { headers: client })
assert.equal(foreign.body.error_code, 'ERR_GATEWAY_90606')
console.log("Neither takes the other one's key")

for (const each of [name, `${name}-branch`]) {
  assert.equal((await send('DELETE', `${home}/s/${each}`, { headers: account })).status, 204)
}
console.log('Removed both')
