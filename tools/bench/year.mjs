// Measures managed domains through one simulated year, in one call of the clock, and the cost of a certificate.
import { createGateway } from '../../dist/index.js'
import { format, median, print } from './measure.mjs'

const YEAR_MS = 365 * 86_400_000
const START = Date.UTC(2026, 0, 1)
const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }

/** Creates a gateway with managed domains, one second apart. Returns the gateway and its clock. */
function createManagedDomains(domains) {
  const clock = { now: START }
  const gateway = createGateway({ clock, seed: 'bench', provisioningDelay: '30s' })
  for (let i = 0; i < domains; i++) {
    clock.now += 1000
    gateway.reservedDomains.create({ domain: `d${i}.example.com`, certificate_management_policy: policy })
  }
  return { gateway, clock }
}

export function benchYear() {
  for (const domains of [100_000, 100, 1_000, 10_000]) {
    const { gateway, clock } = createManagedDomains(domains)
    const start = performance.now()
    clock.now += YEAR_MS
    gateway.dns.records()
    const duration = performance.now() - start
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    const transitions = gateway.snapshot().records.reserved_domains.reduce((sum, each) => sum + each.timeline.length, 0)
    const isLargest = domains === 100_000
    print(
      `${format(domains)} domains, ${format(transitions)} transitions, one year, s`,
      (duration / 1000).toFixed(2),
      isLargest ? 'under 5' : '',
    )
    print(
      `${format(domains)} domains, µs per transition`,
      ((duration * 1000) / transitions).toFixed(2),
      'no worse than n log n',
    )
    if (isLargest) {
      print('… heap in use, MB', format(heapUsed / 1e6), 'under 600')
      print('… resident memory of the process, with garbage, MB', format(rss / 1e6), 'under 500')
    }
  }
}

export function benchMillion() {
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const gateway = createGateway({ seed: 'bench' })
  // Processor time leaves out other work of the machine.
  const usageBefore = process.cpuUsage()
  for (let i = 0; i < 1_000_000; i++) gateway.reservedDomains.create({ domain: `d${i}.example.com` })
  const { user, system } = process.cpuUsage(usageBefore)
  print('create 1,000,000 domains, processor time, s', ((user + system) / 1e6).toFixed(1), 'under 15')
  globalThis.gc?.()
  print('… bytes each', format((process.memoryUsage().heapUsed - before) / 1_000_000), 'under 700')
  // This use keeps the gateway from being collected before the measurement.
  gateway.reset()
}

export function benchIssue() {
  const { gateway, clock } = createManagedDomains(201)
  clock.now += 60_000
  const ids = gateway.reservedDomains.list().reserved_domains.map((domain) => domain.certificate.id)
  const times = ids.map((id) => {
    const start = performance.now()
    gateway.tlsCertificates.get(id)
    return performance.now() - start
  })
  print('issue and read an ECDSA certificate, first, ms', times[0].toFixed(2))
  print('issue and read an ECDSA certificate, after the first, ms', median(times.slice(1)).toFixed(2), 'under 2')
}
