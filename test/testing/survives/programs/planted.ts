// Programs with planted bugs, each of another kind, and correct programs that are just as unusual.
import {
  type Body,
  type Call,
  deleteResource,
  ensureAddress,
  ensureDomain,
  find,
  headers,
  isTransient,
  POLICY,
  Problem,
  type Program,
  program,
  retry,
  sleep,
  statusOf,
} from './client.ts'

const DOMAINS = ['a.example.com', 'b.example.com']

const create = (call: Call, domain: string): Promise<Body> => call('POST', '/reserved_domains', { domain })

/** Reserves two domains at once. If one fails, deletes only those whose ids it has received. */
const raceOfRollBack = program(async (call) => {
  const ids: string[] = []
  try {
    await Promise.all(DOMAINS.map(async (name) => ids.push((await create(call, name)).id)))
  } catch (cause) {
    await Promise.all(ids.map((id) => deleteResource(call, `/reserved_domains/${id}`)))
    throw new Error('gave up', { cause })
  }
})

/** Looks for the address before it tries again, except after its own time limit. */
const blindAfterTimeout = program(async (call) => {
  for (let isFirst = true, tries = 0; tries < 6; tries++) {
    try {
      const existing = isFirst ? undefined : await find(call, 'reserved_addrs', 'description', 'one')
      if (existing) return
      return void (await call('POST', '/reserved_addrs', { description: 'one' }, AbortSignal.timeout(10_000)))
    } catch (error) {
      if (!isTransient(error)) throw error
      isFirst = error instanceof Error && error.name === 'TimeoutError'
      await sleep(1000)
    }
  }
  throw new Error('no response')
})

/** Deletes what it has created, and takes a 404 on a repeated DELETE as a failure. */
const strictCleanUp = program(async (call) => {
  const first = await ensureAddress(call, 'first')
  const second = await ensureAddress(call, 'second')
  await retry(() => call('DELETE', `/reserved_addrs/${first.id}`))
  await retry(() => call('DELETE', `/reserved_addrs/${second.id}`))
})

/** Takes 429 as "the quota is used up", and continues without the address. */
const limitAsQuota = program(async (call) => {
  await retry(async () => {
    try {
      if (await find(call, 'reserved_addrs', 'description', 'quota')) return
      await call('POST', '/reserved_addrs', { description: 'quota' })
    } catch (error) {
      if (statusOf(error) !== 429) throw error
    }
  })
})

/** Replaces an address: creates the new one, saves its id over the old one's, and then deletes the old one. */
const rotation = program(async (call, { disk, effect }) => {
  if (!disk.get('id')) await effect('save the first', async () => disk.set('id', (await ensureAddress(call, 'old')).id))
  if (disk.get('is rotated')) return
  const old = disk.get('id')
  const { id } = await ensureAddress(call, 'new')
  await effect('save the new one', () => {
    disk.set('id', id)
    disk.set('is rotated', true)
  })
  await deleteResource(call, `/reserved_addrs/${old}`)
})

/** Allows one second try in total, for all requests together. */
const oneSecondTry = program(async (call) => {
  let left = 1
  const withSecondTry = async <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(async (error) => {
      if (!isTransient(error) || left-- === 0) throw error
      await sleep(2000)
      return work()
    })
  for (const name of DOMAINS) {
    await withSecondTry(async () => (await find(call, 'reserved_domains', 'domain', name)) ?? create(call, name))
  }
})

/** Updates an address without waiting for the response. */
const forgottenAwait = program(async (call) => {
  const { id } = await ensureAddress(call, 'noted')
  void call('PATCH', `/reserved_addrs/${id}`, { metadata: 'used' })
  await sleep(10_000)
})

/** Sets an interval while it works, and does not clear it after a failure. */
const unclearedInterval = program(async (call) => {
  const interval = setInterval(() => {}, 1000)
  await retry(() => call('GET', '/reserved_addrs'), 1)
  clearInterval(interval)
})

/** Saves that its work is done before it does the work. */
const earlyFlag = program(async (call, { disk, effect }) => {
  if (disk.get('isDone')) return
  await effect('write that it is done', () => disk.set('isDone', true))
  await ensureAddress(call, 'done')
})

/** Deletes all addresses, and stops at the first that is deleted already. */
const cleanUpThatStops = program(async (call) => {
  const names = ['x', 'y']
  for (const name of names) await ensureAddress(call, name)
  const { reserved_addrs } = await retry(() => call('GET', '/reserved_addrs'))
  try {
    for (const { id } of reserved_addrs) await retry(() => call('DELETE', `/reserved_addrs/${id}`))
  } catch (error) {
    if (statusOf(error) !== 404) throw error
  }
})

/** Takes a response that breaks off for an empty list. */
const halfListAsEmpty = program(async (call, { fetch, url }) => {
  await retry(async () => {
    const response = await fetch(`${url}/reserved_addrs`, { headers })
    if (!response.ok) throw new Problem('GET', '/reserved_addrs', response)
    const text = await response.text().catch(() => '')
    let list: Body = { reserved_addrs: [] }
    try {
      list = JSON.parse(text)
    } catch {
      // The list stays empty.
    }
    if (list.reserved_addrs.length === 0) await call('POST', '/reserved_addrs', { description: 'only' })
  })
})

/** Waits for a certificate for five polls. Failed requests count as polls too. */
const countedPolls = program(async (call) => {
  const { id } = await ensureDomain(call, 'counted.example.com', POLICY)
  for (let polls = 0; polls < 5; polls++) {
    const domain = await call('GET', `/reserved_domains/${id}`).catch(() => undefined)
    if (domain?.certificate) return
    await sleep(10_000)
  }
  await deleteResource(call, `/reserved_domains/${id}`)
})

export const PLANTED: Readonly<Record<string, Program>> = {
  'a roll-back that knows one of two': raceOfRollBack,
  'a second try without a look after its own time limit': blindAfterTimeout,
  'a 404 on a repeated DELETE taken as a failure': strictCleanUp,
  'a 429 taken as a used-up quota': limitAsQuota,
  'an address that a crash forgets': rotation,
  'one second try for all requests': oneSecondTry,
  'a forgotten await': forgottenAwait,
  'an interval that nobody clears after a failure': unclearedInterval,
  'a flag that is written too early': earlyFlag,
  'a clean-up that stops at what is gone': cleanUpThatStops,
  'half a list taken for an empty one': halfListAsEmpty,
  'a limit of polls that DNS_ERROR uses up': countedPolls,
}

/** Deletes all that it may have created, by name and not by id. */
const rollBackByName = program(async (call) => {
  const outcomes = await Promise.allSettled(DOMAINS.map((name) => ensureDomain(call, name)))
  if (outcomes.every(({ status }) => status === 'fulfilled')) return
  const { reserved_domains } = await retry(() => call('GET', '/reserved_domains'))
  for (const { id, domain } of reserved_domains)
    if (DOMAINS.includes(domain)) await deleteResource(call, `/reserved_domains/${id}`)
  throw new Error('gave up')
})

/** Limits each request to ten seconds, and looks for the address before each try. */
const withTimeLimits = program(async (call) => {
  await retry(async () => {
    const { reserved_addrs } = await call('GET', '/reserved_addrs', undefined, AbortSignal.timeout(10_000))
    if (reserved_addrs.some(({ description }: Body) => description === 'one')) return
    await call('POST', '/reserved_addrs', { description: 'one' }, AbortSignal.timeout(10_000))
  })
})

/** Replaces an address, and saves the ids of both. */
const journaledRotation = program(async (call, { disk, effect }) => {
  if (!disk.get('old'))
    await effect('save the first', async () => disk.set('old', (await ensureAddress(call, 'old')).id))
  if (!disk.get('new'))
    await effect('save the new one', async () => disk.set('new', (await ensureAddress(call, 'new')).id))
  await deleteResource(call, `/reserved_addrs/${disk.get('old')}`)
})

/** Deletes the addresses of all pages. After a failure it reads again from the first page. */
const deleteAllPages = program(async (call, { url }) => {
  for (const name of ['1', '2', '3']) await ensureAddress(call, name)
  const all = await retry(async () => {
    const ids: string[] = []
    for (let path = '/reserved_addrs?limit=2'; path; ) {
      const { reserved_addrs, next_page_uri } = await call('GET', path)
      ids.push(...reserved_addrs.map(({ id }: Body) => id))
      path = next_page_uri ? next_page_uri.slice(url.length) : ''
    }
    return ids
  })
  for (const id of all) await deleteResource(call, `/reserved_addrs/${id}`)
})

/** Waits for a certificate, whatever attempts and polls fail. */
const patientWait = program(async (call) => {
  const { id } = await ensureDomain(call, 'patient.example.com', POLICY)
  for (let wait = 10_000; ; wait = Math.min(wait * 2, 600_000)) {
    const domain = await call('GET', `/reserved_domains/${id}`).catch(() => undefined)
    if (domain?.certificate) return
    await sleep(wait)
  }
})

/** Sets an interval while it works, and always clears it. */
const clearedInterval = program(async (call) => {
  const interval = setInterval(() => {}, 1000)
  try {
    await retry(() => call('GET', '/reserved_addrs'))
  } finally {
    clearInterval(interval)
  }
})

/** Replaces a setting by PUT, which may be sent twice. */
const repeatedPut = program(async (call) => {
  await retry(() => call('PUT', '/edges/https/edghts_1/routes/edghtsrt_1/compression', { enabled: true }))
})

/** Sends a second equal request after 2 s, takes the first response, and leaves no timer. */
const hedgedRequest = program(async (call) => {
  await ensureAddress(call, 'hedged')
  await retry(async () => {
    const slower = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const list = () => call('GET', '/reserved_addrs', undefined, slower.signal)
    const later = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, 2000)
    }).then(list)
    try {
      return await Promise.any([list(), later])
    } finally {
      clearTimeout(timer)
      slower.abort()
    }
  })
})

export const CORRECT: Readonly<Record<string, Program>> = {
  'a roll-back by name': rollBackByName,
  'time limits and a look': withTimeLimits,
  'a rotation with a journal': journaledRotation,
  'all pages, from the first one again': deleteAllPages,
  'a patient wait for a certificate': patientWait,
  'an interval that is always cleared': clearedInterval,
  'a PUT that may happen twice': repeatedPut,
  'two equal questions of which one wins': hedgedRequest,
}
