// A guided run: a domain fails with DNS_ERROR, is fixed, gets its certificate, renews, fails to renew, and recovers.
// It uses HTTP only, with an emulator on a loopback port, and controls its clock.
import { X509Certificate } from 'node:crypto'
import { manualClock } from 'fauxgate'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'

const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z'), dns: 'simulated', seed: 'guided run' })
const server = await serve(gateway)
const say = (text) => console.log(`\n${text}`)
const show = (text) => console.log(`    ${text}`)

/** Sends a request to the API, or below /_fauxgate to the controls, and returns the JSON of the response. */
async function send(method, path, body) {
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }
  const answer = await fetch(server.url + path, { method, headers, body: body && JSON.stringify(body) })
  return answer.status === 204 ? undefined : answer.json()
}

async function showDomain(id) {
  const domain = await send('GET', `/reserved_domains/${id}`)
  const { now } = await send('GET', '/_fauxgate/clock')
  const { renews_at, provisioning_job: job } = domain.certificate_management_status
  show(`${now}  certificate ${domain.certificate?.id ?? 'none'}, renews at ${renews_at ?? '-'}`)
  if (job) show(`${' '.repeat(now.length)}  job ${job.error_code ?? 'in progress'}: ${job.msg}`)
  if (job?.retries_at) show(`${' '.repeat(now.length)}  retries at ${job.retries_at}`)
  return domain
}

say(`The emulator listens on ${server.url}. Its clock is manual: it shows 2026-01-01 until this run advances it.`)

say('1. Reserve app.example.com with an automatic certificate. A provisioning job starts.')
const { id, cname_target } = await send('POST', '/reserved_domains', {
  domain: 'app.example.com',
  certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
})
await showDomain(id)

say('2. Thirty seconds later the job looks for the DNS record. It does not exist: DNS_ERROR.')
await send('POST', '/_fauxgate/clock', { advance: '30s' })
await showDomain(id)

say(`3. Add the record. The next attempt, an hour later, succeeds.`)
show(`CNAME app.example.com -> ${cname_target}`)
await send('PUT', '/_fauxgate/dns', { name: 'app.example.com', type: 'CNAME', value: cname_target })
await send('POST', '/_fauxgate/clock', { next: true })
const issued = await showDomain(id)
const { certificate_pem } = await send('GET', `/tls_certificates/${issued.certificate.id}`)
const leaf = new X509Certificate(certificate_pem)
show(`a real X.509 certificate for ${leaf.subjectAltName}, issued by ${leaf.issuer.split('\n').at(-1)}`)

say('4. Sixty days pass in one call. The certificate renews by itself.')
await send('POST', '/_fauxgate/clock', { advance: '61d' })
await showDomain(id)

say('5. Let the next renewal fail twice. The old certificate stays in use meanwhile.')
await send('POST', '/_fauxgate/provisioning/script', { outcomes: ['INTERNAL_ERROR', 'INTERNAL_ERROR'] })
await send('POST', '/_fauxgate/clock', { next: true })
await send('POST', '/_fauxgate/clock', { next: true })
await showDomain(id)

say('6. The third attempt succeeds.')
await send('POST', '/_fauxgate/clock', { advance: '5m' })
await showDomain(id)

say('What happened, and when:')
for (const { at, transition, message } of await send('GET', `/_fauxgate/provisioning/timeline?id=${id}`)) {
  show(`${at}  ${transition.padEnd(15)}  ${message}`)
}

await server.close()
say('That was the guided run. For your own emulator: npx --no -- fauxgate serve --dialect ngrok --port 4747')
