// Measures how fast `survives` tries schedules, in processor time, and whether it leaks memory.
import { survives } from '../../dist/testing.js'
import { format, print } from './measure.mjs'

const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function call({ fetch, url }, path, body) {
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const response = await fetch(`${url}${path}`, init)
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}

async function retry(work) {
  for (let left = 16; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0) throw error
      await sleep(1000)
    }
  }
}

/** Creates a program that looks for addresses and creates them: two requests each. */
const createProgram =
  (count, name = 'app') =>
  async (life) => {
    for (let n = 0; n < count; n++) {
      await retry(async () => {
        const { reserved_addrs: formatTotal } = await call(life, '/reserved_addrs')
        if (!formatTotal.some(({ description }) => description === `${name} ${n}`))
          await call(life, '/reserved_addrs', { description: `${name} ${n}` })
      })
    }
  }

/** Waits for the certificate of a domain, and reads it. */
async function waitForCertificate(life) {
  await retry(async () => {
    const { reserved_domains: formatTotal } = await call(life, '/reserved_domains')
    const policy = { certificate_management_policy: { authority: 'letsencrypt' } }
    const { id } = formatTotal[0] ?? (await call(life, '/reserved_domains', { domain: 'app.example.com', ...policy }))
    let domain = await call(life, `/reserved_domains/${id}`)
    for (; !domain.certificate; domain = await call(life, `/reserved_domains/${id}`)) await sleep(7000)
    const { certificate_pem: chain } = await call(life, `/tls_certificates/${domain.certificate.id}`)
    if (!chain.startsWith('-----BEGIN')) throw new Error('no certificate')
  })
}

/** Returns the number of tried schedules, and the seconds of processor time. */
async function measure(code, options) {
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
  const formatRate = ({ tried, seconds }) => format(tried / seconds)
  const formatTotal = ({ tried, seconds }) => `${seconds.toFixed(1)} s of ${format(tried)}`
  print(
    'survives, 8 requests, 2 faults: schedules a second',
    formatRate(await measure(createProgram(4), {})),
    'over 3,000',
  )
  print('… with a certificate', formatRate(await measure(waitForCertificate, {})), 'over 1,500')
  print('… 20 requests, 2 faults, complete', formatTotal(await measure(createProgram(10), {})), 'under 10 s')
  print('… 8 requests, 3 faults, complete', formatTotal(await measure(createProgram(4), { faults: 3 })), 'under 25 s')
  const copies = [
    ['two copies of 8 requests, 2 switches', 4, { copies: 2 }, 'under 1 s'],
    ['three copies of 6 requests, 2 switches', 3, { copies: 3 }, 'under 3 s'],
    ['two copies of 8 requests, 2 switches, 1 fault', 4, { copies: 2, faults: 1 }, 'under 15 s'],
  ]
  // With its own name, each copy survives.
  for (const [name, count, options, wanted] of copies) {
    const code = (life) => createProgram(count, life.copy)(life)
    print(`… ${name}, complete`, formatTotal(await measure(code, options)), wanted)
  }
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  await measure(createProgram(4), { faults: 3, budget: 20_000 })
  globalThis.gc()
  print('… heap kept after 20,000 runs, MB', ((process.memoryUsage().heapUsed - before) / 1e6).toFixed(1), 'under 5')
}
