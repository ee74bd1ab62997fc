// Functions as a judge would plant bugs in them, each of another kind, and correct ones that are as unusual.
import {
  addressNamed,
  type Body,
  type Call,
  deleted,
  domainNamed,
  found,
  headers,
  isPassing,
  POLICY,
  Problem,
  type Program,
  program,
  retried,
  sleep,
  statusOf,
} from './client.ts'

const DOMAINS = ['a.example.com', 'b.example.com']

const create = (call: Call, domain: string): Promise<Body> => call('POST', '/reserved_domains', { domain })

/** Reserves two domains at once, and undoes those that it knows when one fails. */
const raceOfRollBack = program(async (call) => {
  const made: string[] = []
  try {
    await Promise.all(DOMAINS.map(async (name) => made.push((await create(call, name)).id)))
  } catch (cause) {
    await Promise.all(made.map((id) => deleted(call, `/reserved_domains/${id}`)))
    throw new Error('gave up', { cause })
  }
})

/** Looks before it tries again, except after its own time limit. */
const blindAfterTimeout = program(async (call) => {
  for (let isFirst = true, tries = 0; tries < 6; tries++) {
    try {
      const known = isFirst ? undefined : await found(call, 'reserved_addrs', 'description', 'one')
      if (known) return
      return void (await call('POST', '/reserved_addrs', { description: 'one' }, AbortSignal.timeout(10_000)))
    } catch (error) {
      if (!isPassing(error)) throw error
      isFirst = error instanceof Error && error.name === 'TimeoutError'
      await sleep(1000)
    }
  }
  throw new Error('no answer')
})

/** Cleans up, and takes 404 on a repeated DELETE as a failure. */
const strictCleanUp = program(async (call) => {
  const first = await addressNamed(call, 'first')
  const second = await addressNamed(call, 'second')
  await retried(() => call('DELETE', `/reserved_addrs/${first.id}`))
  await retried(() => call('DELETE', `/reserved_addrs/${second.id}`))
})

/** Takes 429 as "the quota is used up", and continues without the address. */
const limitIsQuota = program(async (call) => {
  await retried(async () => {
    try {
      if (await found(call, 'reserved_addrs', 'description', 'quota')) return
      await call('POST', '/reserved_addrs', { description: 'quota' })
    } catch (error) {
      if (statusOf(error) !== 429) throw error
    }
  })
})

/** Replaces an address: makes the new one, writes it down, deletes the old one, and forgets the old one by writing. */
const rotation = program(async (call, { disk, effect }) => {
  if (!disk.get('id')) await effect('save the first', async () => disk.set('id', (await addressNamed(call, 'old')).id))
  if (disk.get('is rotated')) return
  const old = disk.get('id')
  const { id } = await addressNamed(call, 'new')
  await effect('save the new one', () => {
    disk.set('id', id)
    disk.set('is rotated', true)
  })
  await deleted(call, `/reserved_addrs/${old}`)
})

/** Has one second try for everything that it does. */
const oneSecondTry = program(async (call) => {
  let left = 1
  const withOne = async <T>(work: () => Promise<T>): Promise<T> =>
    work().catch(async (error) => {
      if (!isPassing(error) || left-- === 0) throw error
      await sleep(2000)
      return work()
    })
  for (const name of DOMAINS) {
    await withOne(async () => (await found(call, 'reserved_domains', 'domain', name)) ?? create(call, name))
  }
})

/** Notes its use of an address without waiting for that. */
const forgottenAwait = program(async (call) => {
  const { id } = await addressNamed(call, 'noted')
  void call('PATCH', `/reserved_addrs/${id}`, { metadata: 'used' })
  await sleep(10_000)
})

/** Beats while it works, and continues to beat after a failure. */
const heartbeat = program(async (call) => {
  const beat = setInterval(() => {}, 1000)
  await retried(() => call('GET', '/reserved_addrs'), 1)
  clearInterval(beat)
})

/** Writes that it is done before it is. */
const earlyFlag = program(async (call, { disk, effect }) => {
  if (disk.get('isDone')) return
  await effect('write that it is done', () => disk.set('isDone', true))
  await addressNamed(call, 'done')
})

/** Deletes what an earlier program left, and stops at the first that is gone already. */
const stopsAtGone = program(async (call) => {
  const names = ['x', 'y']
  for (const name of names) await addressNamed(call, name)
  const { reserved_addrs } = await retried(() => call('GET', '/reserved_addrs'))
  try {
    for (const { id } of reserved_addrs) await retried(() => call('DELETE', `/reserved_addrs/${id}`))
  } catch (error) {
    if (statusOf(error) !== 404) throw error
  }
})

/** Takes a response that breaks off for an empty one. */
const halfIsEmpty = program(async (call, { fetch, url }) => {
  await retried(async () => {
    const response = await fetch(`${url}/reserved_addrs`, { headers })
    if (!response.ok) throw new Problem('GET', '/reserved_addrs', response)
    const text = await response.text().catch(() => '')
    let list: Body = { reserved_addrs: [] }
    try {
      list = JSON.parse(text)
    } catch {
      // It was empty.
    }
    if (list.reserved_addrs.length === 0) await call('POST', '/reserved_addrs', { description: 'only' })
  })
})

/** Waits for a certificate at most as long as three attempts take, counted in polls that also failed requests use up. */
const countedPolls = program(async (call) => {
  const { id } = await domainNamed(call, 'counted.example.com', POLICY)
  for (let polls = 0; polls < 5; polls++) {
    const domain = await call('GET', `/reserved_domains/${id}`).catch(() => undefined)
    if (domain?.certificate) return
    await sleep(10_000)
  }
  await deleted(call, `/reserved_domains/${id}`)
})

export const PLANTED: Readonly<Record<string, Program>> = {
  'a roll-back that knows one of two': raceOfRollBack,
  'a second try without a look after its own time limit': blindAfterTimeout,
  'a 404 on a repeated DELETE taken as a failure': strictCleanUp,
  'a 429 taken as a used-up quota': limitIsQuota,
  'an address that a crash forgets': rotation,
  'one second try for all requests': oneSecondTry,
  'a forgotten await': forgottenAwait,
  'an interval that nobody clears after a failure': heartbeat,
  'a flag that is written too early': earlyFlag,
  'a clean-up that stops at what is gone': stopsAtGone,
  'half a list taken for an empty one': halfIsEmpty,
  'a limit of polls that DNS_ERROR uses up': countedPolls,
}

/** Undoes all that it may have made, by name and not by id. */
const thorough = program(async (call) => {
  const outcomes = await Promise.allSettled(DOMAINS.map((name) => domainNamed(call, name)))
  if (outcomes.every(({ status }) => status === 'fulfilled')) return
  const { reserved_domains } = await retried(() => call('GET', '/reserved_domains'))
  for (const { id, domain } of reserved_domains)
    if (DOMAINS.includes(domain)) await deleted(call, `/reserved_domains/${id}`)
  throw new Error('gave up')
})

/** Gives each request ten seconds, and looks before it tries again. */
const withTimeLimits = program(async (call) => {
  await retried(async () => {
    const { reserved_addrs } = await call('GET', '/reserved_addrs', undefined, AbortSignal.timeout(10_000))
    if (reserved_addrs.some(({ description }: Body) => description === 'one')) return
    await call('POST', '/reserved_addrs', { description: 'one' }, AbortSignal.timeout(10_000))
  })
})

/** Writes what it is about to do before it does that. */
const journaled = program(async (call, { disk, effect }) => {
  if (!disk.get('old'))
    await effect('save the first', async () => disk.set('old', (await addressNamed(call, 'old')).id))
  if (!disk.get('new'))
    await effect('save the new one', async () => disk.set('new', (await addressNamed(call, 'new')).id))
  await deleted(call, `/reserved_addrs/${disk.get('old')}`)
})

/** Reads all pages, and begins again from the first one after a failure. */
const pages = program(async (call, { url }) => {
  for (const name of ['1', '2', '3']) await addressNamed(call, name)
  const all = await retried(async () => {
    const ids: string[] = []
    for (let path = '/reserved_addrs?limit=2'; path; ) {
      const { reserved_addrs, next_page_uri } = await call('GET', path)
      ids.push(...reserved_addrs.map(({ id }: Body) => id))
      path = next_page_uri ? next_page_uri.slice(url.length) : ''
    }
    return ids
  })
  for (const id of all) await deleted(call, `/reserved_addrs/${id}`)
})

/** Waits for a certificate, through all failures of attempts and of polls. */
const patient = program(async (call) => {
  const { id } = await domainNamed(call, 'patient.example.com', POLICY)
  for (let wait = 10_000; ; wait = Math.min(wait * 2, 600_000)) {
    const domain = await call('GET', `/reserved_domains/${id}`).catch(() => undefined)
    if (domain?.certificate) return
    await sleep(wait)
  }
})

/** Beats while it works, and stops whatever happens. */
const tidyHeartbeat = program(async (call) => {
  const beat = setInterval(() => {}, 1000)
  try {
    await retried(() => call('GET', '/reserved_addrs'))
  } finally {
    clearInterval(beat)
  }
})

/** Replaces a setting by PUT, which may happen twice. */
const replaced = program(async (call) => {
  await retried(() => call('PUT', '/edges/https/edghts_1/routes/edghtsrt_1/compression', { enabled: true }))
})

/** Lets the first of two equal questions win, and leaves no timer. */
const hedged = program(async (call) => {
  await addressNamed(call, 'hedged')
  await retried(async () => {
    const losing = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = () => call('GET', '/reserved_addrs', undefined, losing.signal)
    const later = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, 2000)
    }).then(ask)
    try {
      return await Promise.any([ask(), later])
    } finally {
      clearTimeout(timer)
      losing.abort()
    }
  })
})

export const CORRECT: Readonly<Record<string, Program>> = {
  'a roll-back by name': thorough,
  'time limits and a look': withTimeLimits,
  'a rotation with a journal': journaled,
  'all pages, from the first one again': pages,
  'a patient wait for a certificate': patient,
  'an interval that is always cleared': tidyHeartbeat,
  'a PUT that may happen twice': replaced,
  'two equal questions of which one wins': hedged,
}
