// Measures how fast `survives` tries schedules, in processor time, and whether it keeps memory.
import { survives } from '../dist/testing.js'
import { row, whole } from './measure.mjs'

const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function call({ fetch, url }, path, body) {
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const response = await fetch(`${url}${path}`, init)
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}

async function retried(work) {
  for (let left = 16; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0) throw error
      await sleep(1000)
    }
  }
}

/** Makes code that looks for addresses and creates them: two requests each. */
const addresses = (count) => async (life) => {
  for (let n = 0; n < count; n++) {
    await retried(async () => {
      const { reserved_addrs: all } = await call(life, '/reserved_addrs')
      if (!all.some(({ description }) => description === `app ${n}`))
        await call(life, '/reserved_addrs', { description: `app ${n}` })
    })
  }
}

/** Waits for the certificate of a domain, and reads it. */
async function certificate(life) {
  await retried(async () => {
    const { reserved_domains: all } = await call(life, '/reserved_domains')
    const policy = { certificate_management_policy: { authority: 'letsencrypt' } }
    const { id } = all[0] ?? (await call(life, '/reserved_domains', { domain: 'app.example.com', ...policy }))
    let domain = await call(life, `/reserved_domains/${id}`)
    for (; !domain.certificate; domain = await call(life, `/reserved_domains/${id}`)) await sleep(7000)
    const { certificate_pem: chain } = await call(life, `/tls_certificates/${domain.certificate.id}`)
    if (!chain.startsWith('-----BEGIN')) throw new Error('no certificate')
  })
}

/** Returns the schedules tried and the seconds of processor time. */
async function measured(code, options) {
  const before = process.cpuUsage()
  const { tried, total } = await survives(code, {
    restart: true,
    budget: 1_000_000,
    onProgress: () => undefined,
    ...options,
  })
  const { user, system } = process.cpuUsage(before)
  return { tried, total, seconds: (user + system) / 1e6 }
}

export async function benchSurvives() {
  const rate = ({ tried, seconds }) => whole(tried / seconds)
  const all = ({ tried, seconds }) => `${seconds.toFixed(1)} s of ${whole(tried)}`
  row('survives, 8 requests, 2 faults: schedules a second', rate(await measured(addresses(4), {})), 'over 3,000')
  row('… with a certificate', rate(await measured(certificate, {})), 'over 1,500')
  row('… 20 requests, 2 faults, complete', all(await measured(addresses(10), {})), 'under 10 s')
  row('… 8 requests, 3 faults, complete', all(await measured(addresses(4), { faults: 3 })), 'under 25 s')
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  await measured(addresses(4), { faults: 3, budget: 20_000 })
  globalThis.gc()
  row('… heap kept after 20,000 runs, MB', ((process.memoryUsage().heapUsed - before) / 1e6).toFixed(1), 'under 5')
}
