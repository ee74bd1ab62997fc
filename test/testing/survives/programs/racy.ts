// Programs that two copies run at once: some with a race, and some that are correct.

import type { createNgrok, NgrokOptions } from '../../../../src/gateway/ngrok.ts'
import type { CodeUnderTest, SurvivesOptions, Verdict } from '../../../../src/testing/testing.ts'
import { upload } from '../../../support/pem.ts'
import { type Body, type Call, createCall, find, Problem, sleep, statusOf } from './client.ts'

/** A program, the options of its search, and the order of its smallest race. */
export interface Race {
  readonly code: CodeUnderTest
  readonly options?: SurvivesOptions
  /** The resources at the start, for a program that needs ngrok's API. */
  readonly initial?: NgrokOptions['initial']
  readonly order?: string
  /** Default: `race`. */
  readonly verdict?: Verdict
}

/** Returns the options of the search for a race of two copies. */
export const optionsOf = ({ options, initial }: Race, create: typeof createNgrok): SurvivesOptions => ({
  copies: 2,
  ...options,
  ...(initial && { create: (each) => create({ ...each, initial }) }),
})

const copies =
  (work: (call: Call, copy: string, life: Parameters<CodeUnderTest>[0]) => Promise<unknown>): CodeUnderTest =>
  (life) =>
    work(createCall(life), life.copy, life)

const address = (call: Call) => find(call, 'reserved_addrs', 'description', 'app')

const create = (call: Call, description = 'app', more: object = {}): Promise<Body> =>
  call('POST', '/reserved_addrs', { description, ...more })

/** Ignores an error with one of these statuses. */
const unless =
  (...statuses: number[]) =>
  (error: unknown) => {
    if (!statuses.includes(statusOf(error) ?? 0)) throw error
  }

/** One address of the description app, with a number in its metadata. */
const withAddress: SurvivesOptions = {
  setup: (gateway) => {
    gateway.reservedAddrs.create({ description: 'app', metadata: '0' })
  },
}

/** Calls work with a lock, which is a domain: only one of the copies can reserve it. */
async function withLock(call: Call, work: () => Promise<unknown>, name = 'lock') {
  for (;;) {
    const domain = `${name}.example.com`
    const lock: Body = await call('POST', '/reserved_domains', { domain }).catch(unless(400, 409, 413))
    if (lock) {
      await work()
      return call('DELETE', `/reserved_domains/${lock.id}`)
    }
    await sleep(1000)
  }
}

const ensure = async (call: Call) => (await address(call)) ?? create(call)

export const RACY: Readonly<Record<string, Race>> = {
  'look, then create': { code: copies(ensure), order: 'A1 B A' },
  'a lost update of a counter': {
    code: copies(async (call) => {
      const { id, metadata } = await address(call)
      await call('PATCH', `/reserved_addrs/${id}`, { metadata: String(Number(metadata) + 1) })
    }),
    options: withAddress,
    order: 'A1 B A',
  },
  'a conflict that the second one does not expect': {
    code: copies(async (call) => {
      if (!(await find(call, 'reserved_domains', 'domain', 'a.example.com')))
        await call('POST', '/reserved_domains', { domain: 'a.example.com' })
    }),
    order: 'A1 B A',
  },
  "a clean-up that deletes the other's work": {
    code: copies(async (call, copy) => {
      const { reserved_addrs } = await call('GET', '/reserved_addrs')
      const mine = await create(call, copy)
      for (const { id } of reserved_addrs) await call('DELETE', `/reserved_addrs/${id}`).catch(unless(404))
      await call('GET', `/reserved_addrs/${mine.id}`)
    }),
  },
  'a quota that is only looked at': {
    code: copies(async (call, copy) => {
      const { reserved_addrs } = await call('GET', '/reserved_addrs')
      if (reserved_addrs.length < 1) await create(call, copy)
    }),
    order: 'A1 B A',
  },
  'an address that two rotate': {
    code: copies(async (call) => {
      const { id } = await address(call)
      await create(call)
      await call('DELETE', `/reserved_addrs/${id}`).catch(unless(404))
    }),
    options: withAddress,
  },
  'a release by the last one that leaves': {
    code: copies(async (call) => {
      const { id, metadata } = await address(call)
      if (metadata === '1') return call('DELETE', `/reserved_addrs/${id}`)
      return call('PATCH', `/reserved_addrs/${id}`, { metadata: '1' })
    }),
    options: withAddress,
    order: 'A1 B A',
  },
  'an address that two take': {
    code: copies(async (call, copy) => {
      const free = (await call('GET', '/reserved_addrs')).reserved_addrs.find((each: Body) => each.metadata === '0')
      if (free) await call('PATCH', `/reserved_addrs/${free.id}`, { metadata: copy })
      else await create(call, 'more', { metadata: copy })
    }),
    options: withAddress,
    order: 'A1 B A',
  },
  'a leader that works on after its time': {
    code: copies(async (call, copy) => {
      const { id, metadata } = await address(call)
      if (metadata !== '0') return
      await call('PATCH', `/reserved_addrs/${id}`, { metadata: copy })
      await sleep(1000)
      await create(call, 'work of the leader')
    }),
    options: withAddress,
    order: 'A1 B A',
  },
  'a sleep between the look and the change': {
    code: copies(async (call) => {
      if (await address(call)) return
      await sleep(1000)
      await create(call)
    }),
  },
  'a pair of which each one takes a half': {
    code: copies(async (call, copy) => {
      const [first, second] = (await call('GET', '/reserved_addrs')).reserved_addrs
      await call('PATCH', `/reserved_addrs/${first.id}`, { metadata: copy })
      await call('PATCH', `/reserved_addrs/${second.id}`, { metadata: copy })
    }),
    options: {
      setup: ({ reservedAddrs }) => {
        for (const description of ['first', 'second']) reservedAddrs.create({ description })
      },
    },
  },
  'a certificate that both upload, so that one is a leftover': {
    code: copies(async (call) => {
      if (await find(call, 'tls_certificates', 'description', 'app')) return
      await call('POST', '/tls_certificates', { description: 'app', ...upload() })
    }),
    order: 'A1 B A',
  },
  'a key that two rotate': {
    code: copies(async (call) => {
      const { keys } = await call('GET', '/api_keys')
      await call('POST', '/api_keys', { description: 'app' })
      for (const { id } of keys) await call('DELETE', `/api_keys/${id}`).catch(unless(404))
    }),
    initial: { apiKeys: [{ description: 'app' }] },
    order: 'A1 B A',
  },
  'an edge that two take': {
    code: copies(async (call, copy) => {
      const { https_edges } = await call('GET', '/edges/https')
      const free = https_edges.find((each: Body) => !each.metadata)
      if (free) await call('PATCH', `/edges/https/${free.id}`, { metadata: copy })
    }),
    initial: { httpsEdges: [{ description: 'first' }, { description: 'second' }] },
    order: 'A1 B A',
  },
  'a disk that both read before they write': {
    code: copies(async (call, _copy, { disk, effect }) => {
      const id = await effect('read', () => disk.get<string>('id'))
      if (id) return
      const made = await create(call)
      await effect('save', () => disk.set('id', made.id))
    }),
    options: { disk: 'shared' },
    order: 'A1 B A',
  },
  'a reference to a key that the other one has deleted': {
    code: copies(async (call) => {
      const { id } = await address(call)
      const key = await call('POST', '/credentials', { description: 'app' })
      await call('PATCH', `/reserved_addrs/${id}`, { metadata: key.id })
      const [, ...older] = (await call('GET', '/credentials')).credentials
      for (const each of older) await call('DELETE', `/credentials/${each.id}`).catch(unless(404))
    }),
    options: withAddress,
    initial: {},
    order: 'A2 B A',
  },
  'a slot that both give up, because each one sees two': {
    code: copies(async (call) => {
      const { id } = await create(call)
      if ((await call('GET', '/reserved_addrs')).reserved_addrs.length > 1)
        await call('DELETE', `/reserved_addrs/${id}`)
    }),
    order: 'A1 B2 A B',
  },
  'a lease that ends while its holder works': {
    code: copies(async (call) => {
      const { id } = await address(call)
      while (Date.now() < Number((await address(call)).metadata)) await sleep(10_000)
      await call('PATCH', `/reserved_addrs/${id}`, { metadata: String(Date.now() + 30_000) })
      if (await find(call, 'reserved_addrs', 'description', 'work')) return
      await sleep(60_000)
      await create(call, 'work')
    }),
    options: withAddress,
    order: 'A B',
  },
  'two locks, which each one takes in another order': {
    code: copies((call, copy) => {
      const [outer, inner] = copy === 'A' ? ['one', 'two'] : ['two', 'one']
      return withLock(call, () => withLock(call, async () => undefined, inner), outer)
    }),
    options: { within: '1m' },
    order: 'A1 B A',
    verdict: 'never-ends',
  },
}

export const SAFE: Readonly<Record<string, Race>> = {
  'a unique name, and a conflict taken as success': {
    code: copies((call) => call('POST', '/reserved_domains', { domain: 'a.example.com' }).catch(unless(400, 409, 413))),
  },
  'a look, and a conflict taken as success': {
    code: copies(async (call) => {
      if (await find(call, 'reserved_domains', 'domain', 'a.example.com')) return
      await call('POST', '/reserved_domains', { domain: 'a.example.com' }).catch(unless(400, 409, 413))
    }),
  },
  'a lock around look and create': { code: copies((call) => withLock(call, () => ensure(call))) },
  'a counter in a lock': {
    code: copies((call) =>
      withLock(call, async () => {
        const { id, metadata } = await address(call)
        await call('PATCH', `/reserved_addrs/${id}`, { metadata: String(Number(metadata) + 1) })
      }),
    ),
    options: withAddress,
  },
  'an address for each copy': { code: copies((call, copy) => create(call, copy)) },
  'an address for each copy, with an owner tag that is read again': {
    code: copies(async (call, copy) => {
      const { id } =
        (await find(call, 'reserved_addrs', 'metadata', copy)) ?? (await create(call, 'x', { metadata: copy }))
      if ((await call('GET', `/reserved_addrs/${id}`)).metadata !== copy) throw new Error('not mine')
    }),
  },
  'a deletion that takes 404 as success': {
    code: copies(async (call) => {
      const found = await address(call)
      if (found) await call('DELETE', `/reserved_addrs/${found.id}`).catch(unless(404))
    }),
    options: withAddress,
  },
  'the same value, written twice': {
    code: copies(async (call) => {
      const { id } = await address(call)
      await call('PATCH', `/reserved_addrs/${id}`, { metadata: 'in use' })
    }),
    options: withAddress,
  },
  'names that are tried until one is free': {
    code: copies(async (call) => {
      for (let n = 1; n < 4; n++) {
        const domain = `app-${n}.example.com`
        if (await call('POST', '/reserved_domains', { domain }).catch(unless(400, 409, 413))) return
      }
    }),
  },
  'polls for a certificate': {
    code: copies(async (call) => {
      const policy = { certificate_management_policy: { authority: 'letsencrypt' } }
      await call('POST', '/reserved_domains', { domain: 'a.example.com', ...policy }).catch(unless(400, 409, 413))
      while (!(await find(call, 'reserved_domains', 'domain', 'a.example.com')).certificate) await sleep(7000)
    }),
  },
  'the first by name, which stays whoever created it': {
    code: copies(async (call, copy) => {
      await create(call, copy)
      const { reserved_addrs } = await call('GET', '/reserved_addrs')
      const byName = reserved_addrs.sort((one: Body, other: Body) => one.description.localeCompare(other.description))
      for (const { id } of byName.slice(1)) await call('DELETE', `/reserved_addrs/${id}`).catch(unless(404))
    }),
  },
  'a queue whose items are taken by a unique name': {
    code: copies(async (call) => {
      for (const item of ['one', 'two']) {
        const domain = `${item}.example.com`
        const isMine = await call('POST', '/reserved_domains', { domain }).catch(unless(400, 409, 413))
        if (isMine) await create(call, item)
      }
    }),
  },
  'a conflict that is allowed': {
    code: copies((call) => call('POST', '/reserved_domains', { domain: 'a.example.com' })),
    options: { allow: ({ error }) => error instanceof Problem },
  },
}
