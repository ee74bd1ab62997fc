import {
  deleteResource,
  ensureAddress,
  ensureDomain,
  find,
  headers,
  POLICY,
  Problem,
  type Program,
  program,
  retry,
  sleep,
} from './client.ts'

const DOMAIN = 'app.example.com'

/** A program with a bug, and the same program without the bug. */
export interface ProgramPair {
  readonly buggy: Program
  readonly fixed: Program
}

/** Reserves an address again although the first try may have succeeded. */
const lostAnswer: ProgramPair = {
  buggy: program((call) => retry(() => call('POST', '/reserved_addrs', { description: 'app' }))),
  fixed: program((call) => ensureAddress(call, 'app')),
}

/** Undoes its first step if the second one fails. The buggy form leaves it if the roll-back fails too. */
const rollBack = (isThorough: boolean) =>
  program(async (call) => {
    const domain = await ensureDomain(call, DOMAIN)
    const path = `/reserved_domains/${domain.id}`
    try {
      await call('PATCH', path, { description: 'in use' })
    } catch (cause) {
      await (isThorough ? deleteResource(call, path) : call('DELETE', path).catch(() => {}))
      throw new Error('not provisioned', { cause })
    }
  })

/** Waits for a certificate. The buggy form gives up after a failed attempt. */
export const certificate = (isPatient: boolean) =>
  program(async (call) => {
    const { id } = await ensureDomain(call, DOMAIN, POLICY)
    for (;;) {
      const { certificate, certificate_management_status: status } = await retry(() =>
        call('GET', `/reserved_domains/${id}`),
      )
      if (certificate) return
      const code = status?.provisioning_job?.error_code
      if (code && !isPatient) throw new Error(`no certificate: ${code}`)
      await sleep(7000)
    }
  })

/** Reserves a domain in a loop. Its own domain, created by a try whose response was lost, is a conflict. */
const ownConflict = (isChecking: boolean) =>
  program(async (call) => {
    for (;;) {
      try {
        return void (await call('POST', '/reserved_domains', { domain: DOMAIN }))
      } catch (error) {
        const isTaken = error instanceof Problem && error.status < 500 && error.status !== 429
        if (isChecking && isTaken && (await retry(() => find(call, 'reserved_domains', 'domain', DOMAIN)))) {
          return
        }
        await sleep(5000)
      }
    }
  })

/** Marks its address by a random text. The buggy form has that text in memory only. */
export const crash = (isSafe: boolean) =>
  program(async (call, { disk, effect }) => {
    if (disk.get('addr')) return
    const name = (isSafe && disk.get('name')) || `app ${Math.random()}`
    if (isSafe) await effect('save the name', () => disk.set('name', name))
    const { id } = await ensureAddress(call, String(name))
    await effect('save the id', () => disk.set('addr', id))
  })

/** Survives a 429 and survives a 503. The buggy form does not check the response after a 429. */
const bothLimits: ProgramPair = {
  buggy: program(async (call, { fetch, url }) => {
    const post = () =>
      fetch(`${url}/reserved_domains`, { method: 'POST', headers, body: JSON.stringify({ domain: DOMAIN }) })
    await retry(async () => {
      if (await find(call, 'reserved_domains', 'domain', DOMAIN)) return
      let response = await post()
      if (response.status === 429) {
        await sleep(Number(response.headers.get('retry-after')) * 1000)
        response = await post()
      } else if (!response.ok) throw new Problem('POST', '/reserved_domains', response)
      await response.body?.cancel()
    })
  }),
  fixed: program((call) => ensureDomain(call, DOMAIN)),
}

export const SIX: Readonly<Record<string, ProgramPair>> = {
  'a duplicate after a lost response': lostAnswer,
  'a failed roll-back': { buggy: rollBack(false), fixed: rollBack(true) },
  'DNS_ERROR taken as final': { buggy: certificate(false), fixed: certificate(true) },
  'its own conflict retried for ever': { buggy: ownConflict(false), fixed: ownConflict(true) },
  'a crash between create and save': { buggy: crash(false), fixed: crash(true) },
  'a 429 and then a 503': bothLimits,
}
