import {
  addressNamed,
  deleted,
  domainNamed,
  found,
  headers,
  POLICY,
  Problem,
  type Program,
  program,
  retried,
  sleep,
} from './client.ts'

const DOMAIN = 'app.example.com'

/** A program with a bug, and without it. */
export interface Pair {
  readonly buggy: Program
  readonly fixed: Program
}

/** Tries to reserve an address again although the first try may have done it. */
const lostAnswer: Pair = {
  buggy: program((call) => retried(() => call('POST', '/reserved_addrs', { description: 'app' }))),
  fixed: program((call) => addressNamed(call, 'app')),
}

/** Undoes its first step when the second one fails, and leaves it where the roll-back fails too. */
const rollBack = (isThorough: boolean) =>
  program(async (call) => {
    const domain = await domainNamed(call, DOMAIN)
    const path = `/reserved_domains/${domain.id}`
    try {
      await call('PATCH', path, { description: 'in use' })
    } catch (cause) {
      await (isThorough ? deleted(call, path) : call('DELETE', path).catch(() => {}))
      throw new Error('not provisioned', { cause })
    }
  })

/** Waits for a certificate. */
export const certificate = (isPatient: boolean) =>
  program(async (call) => {
    const { id } = await domainNamed(call, DOMAIN, POLICY)
    for (;;) {
      const { certificate, certificate_management_status: status } = await retried(() =>
        call('GET', `/reserved_domains/${id}`),
      )
      if (certificate) return
      const code = status?.provisioning_job?.error_code
      if (code && !isPatient) throw new Error(`no certificate: ${code}`)
      await sleep(7000)
    }
  })

/** Reserves a domain in a loop. Its own domain, created by a try whose answer was lost, is a conflict. */
const ownConflict = (looks: boolean) =>
  program(async (call) => {
    for (;;) {
      try {
        return void (await call('POST', '/reserved_domains', { domain: DOMAIN }))
      } catch (error) {
        const isTaken = error instanceof Problem && error.status < 500 && error.status !== 429
        if (looks && isTaken && (await retried(() => found(call, 'reserved_domains', 'domain', DOMAIN)))) {
          return
        }
        await sleep(5000)
      }
    }
  })

/** Marks its address by a random text. The buggy form knows that text in memory alone. */
export const crash = (isSafe: boolean) =>
  program(async (call, { disk, effect }) => {
    if (disk.get('addr')) return
    const name = (isSafe && disk.get('name')) || `app ${Math.random()}`
    if (isSafe) await effect('save the name', () => disk.set('name', name))
    const { id } = await addressNamed(call, String(name))
    await effect('save the id', () => disk.set('addr', id))
  })

/** Survives 429 and survives 503, but takes what comes after a 429 as it comes. */
const bothLimits: Pair = {
  buggy: program(async (call, { fetch, url }) => {
    const post = () =>
      fetch(`${url}/reserved_domains`, { method: 'POST', headers, body: JSON.stringify({ domain: DOMAIN }) })
    await retried(async () => {
      if (await found(call, 'reserved_domains', 'domain', DOMAIN)) return
      let response = await post()
      if (response.status === 429) {
        await sleep(Number(response.headers.get('retry-after')) * 1000)
        response = await post()
      } else if (!response.ok) throw new Problem('POST', '/reserved_domains', response)
      await response.body?.cancel()
    })
  }),
  fixed: program((call) => domainNamed(call, DOMAIN)),
}

export const SIX: Readonly<Record<string, Pair>> = {
  'a duplicate after a lost answer': lostAnswer,
  'a failed roll-back': { buggy: rollBack(false), fixed: rollBack(true) },
  'DNS_ERROR taken as final': { buggy: certificate(false), fixed: certificate(true) },
  'its own conflict retried for ever': { buggy: ownConflict(false), fixed: ownConflict(true) },
  'a crash between create and save': { buggy: crash(false), fixed: crash(true) },
  'a 429 and then a 503': bothLimits,
}
