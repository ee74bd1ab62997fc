import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../../src/index.ts'
import { client, outcome, refusalKey } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import { open, START } from '../../support/gateway.ts'
import { upload } from '../../support/pem.ts'

const PATH = '/backends/weighted'

/** Each list: its path, the key of its items, and a function that creates an item. */
const LISTS: readonly [path: string, items: string, create: (gateway: Gateway, n: number) => { id: string }][] = [
  ['/reserved_addrs', 'reserved_addrs', (gateway) => gateway.reservedAddrs.create()],
  [
    '/reserved_domains',
    'reserved_domains',
    (gateway, n) => gateway.reservedDomains.create({ domain: `a${n}.test.de` }),
  ],
  ['/backends/weighted', 'backends', (gateway) => gateway.weightedBackends.create()],
  ['/tls_certificates', 'tls_certificates', (gateway) => gateway.tlsCertificates.create(upload('ed25519'))],
]

/** Creates weighted backends, and returns their ids, newest first. */
function createBackends(gateway: Gateway, count: number): string[] {
  return Array.from({ length: count }, () => gateway.weightedBackends.create().id).reverse()
}

/** Returns the ids of all pages from a URL on, page by page. */
async function readPages(gateway: Gateway, first: string): Promise<string[][]> {
  const pages: string[][] = []
  for (let next: string | null = first; next !== null && pages.length < 1000; ) {
    const { body } = await client(gateway)('GET', next)
    pages.push(body.backends.map(({ id }: { id: string }) => id))
    next = body.next_page_uri
  }
  return pages
}

describe.each(LISTS)('The list %s (rules: lists#paging)', (path, items, create) => {
  test('is empty at first, with its own URL and no next page', async () => {
    const { status, body } = await client(open())('GET', path)
    expect(status).toBe(200)
    expect(body).toEqual({ [items]: [], uri: `https://api.gateway.test${path}`, next_page_uri: null })
  })

  test('lists the newest first, page by page, until next_page_uri is null', async () => {
    const gateway = open()
    const ids = Array.from({ length: 5 }, (_, n) => create(gateway, n).id).reverse()
    const pages: string[][] = []
    for (let next: string | null = `${path}?limit=2`; next !== null; ) {
      const { body } = await client(gateway)('GET', next)
      expect(Object.keys(body)).toEqual([items, 'uri', 'next_page_uri'])
      pages.push(body[items].map(({ id }: { id: string }) => id))
      next = body.next_page_uri
    }
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
  })

  test('rejects a cursor of another type and one that is no id', async () => {
    const api = client(open())
    expect(outcome(await api('GET', `${path}?before_id=ec_1`))).toBe('400 ERR_GATEWAY_227')
    expect(outcome(await api('GET', `${path}?before_id=nonsense`))).toBe('400 ERR_GATEWAY_223')
  })
})

describe('The limit of a list (rules: lists#paging)', () => {
  test('is 100 by default', async () => {
    const gateway = open()
    const ids = createBackends(gateway, 101)
    expect((await readPages(gateway, PATH)).map((page) => page.length)).toEqual([100, 1])
    expect((await readPages(gateway, PATH)).flat()).toEqual(ids)
  })

  test.each([
    ['0', '233'],
    ['101', '233'],
    ['1000000000000000000000', '233'],
    ['ten', '244'],
    ['1.5', '244'],
    ['0x10', '244'],
  ])('cannot be %s', async (limit, number) => {
    expect(outcome(await client(open())('GET', `${PATH}?limit=${limit}`))).toBe(`400 ERR_GATEWAY_${number}`)
  })

  test('leaves no next page when the last page is exactly full', async () => {
    const gateway = open()
    const ids = createBackends(gateway, 4)
    expect(await readPages(gateway, `${PATH}?limit=2`)).toEqual([ids.slice(0, 2), ids.slice(2)])
    expect(await readPages(gateway, `${PATH}?limit=4`)).toEqual([ids])
  })
})

describe('The next page (rules: lists#paging)', () => {
  test("is the list's own absolute URL with the same query and another cursor", async () => {
    const gateway = open({ baseUrl: 'http://127.0.0.1:8080/api' })
    const ids = createBackends(gateway, 5)
    const filter = 'obj.id.startsWith("bkdwd_") && size(obj.backends) <= 1'
    const query = new URLSearchParams({ limit: '2', filter })
    const { body } = await client(gateway)('GET', `${PATH}?${query}`)
    const next = new URL(body.next_page_uri)
    expect(next.origin + next.pathname).toBe('http://127.0.0.1:8080/api/backends/weighted')
    expect(Object.fromEntries(next.searchParams)).toEqual({ limit: '2', filter, before_id: ids[1] })
    const second = new URL((await client(gateway)('GET', next.href)).body.next_page_uri)
    expect(Object.fromEntries(second.searchParams)).toEqual({ limit: '2', filter, before_id: ids[3] })
    expect(await readPages(gateway, `${PATH}?${query}`)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
  })

  test('is null where no further item matches the filter, however many follow (rules: lists#filter)', async () => {
    const gateway = open()
    const create = (metadata: string) => gateway.weightedBackends.create({ metadata }).id
    const ids = ['x', 'yes', 'x', 'yes', 'x'].map(create).filter((_, place) => place % 2 === 1)
    const [older, newer] = ids
    const readFiltered = (limit: number) =>
      readPages(gateway, `${PATH}?${new URLSearchParams({ limit: String(limit), filter: 'obj.metadata == "yes"' })}`)
    expect(await readFiltered(1)).toEqual([[newer], [older]])
    expect(await readFiltered(2)).toEqual([[newer, older]])
    expect(await readFiltered(3)).toEqual([[newer, older]])
  })

  test('follows every cursor correctly, and the list is empty after deletions in another order', () => {
    const gateway = open()
    const ids = createBackends(gateway, 1300)
    for (const [index, before_id] of ids.entries()) {
      const [next] = gateway.weightedBackends.list({ before_id, limit: 1 }).backends
      expect(next?.id).toBe(ids[index + 1])
    }
    for (let index = 0; index < 1300; index++) gateway.weightedBackends.delete(ids[(index * 7) % 1300] as string)
    expect(gateway.weightedBackends.list().backends).toEqual([])
  })
})

describe('A cursor (rules: lists#cursor, ids#order)', () => {
  test('stays valid after its resource and the neighbours are deleted', async () => {
    const gateway = open()
    const ids = createBackends(gateway, 10)
    const before = `${PATH}?before_id=${ids[4]}`
    for (const index of [3, 4, 5]) gateway.weightedBackends.delete(ids[index] as string)
    expect((await readPages(gateway, before)).flat()).toEqual(ids.slice(6))
  })
})

describe('The query of a list (rules: requests#query)', () => {
  test.each(['colour=red', 'beforeId=bkdwd_1', 'Limit=1', '__proto__=1', 'constructor=1', '=1', 'limit[]=1'])(
    'has no parameter such as %s',
    async (query) => {
      const response = await client(open())('GET', `${PATH}?${query}`)
      expect(outcome(response)).toBe('400 ERR_GATEWAY_231')
      expect(response.body.msg).toContain(query.slice(0, query.indexOf('=')))
    },
  )

  test.each(['limit=1&limit=1', 'filter=true&limit=1&filter=true', 'before_id=bkdwd_1&before_id=bkdwd_2'])(
    'has each parameter once: %s',
    async (query) => {
      expect(outcome(await client(open())('GET', `${PATH}?${query}`))).toBe('400 ERR_GATEWAY_232')
    },
  )

  test('takes an encoded parameter, and an empty query as none', async () => {
    const gateway = open()
    const ids = createBackends(gateway, 2)
    expect((await client(gateway)('GET', `${PATH}?%6cimit=1`)).body.backends).toHaveLength(1)
    expect((await readPages(gateway, `${PATH}?`)).flat()).toEqual(ids)
  })

  test('reports several bad values together (rules: errors#all-problems)', async () => {
    const { body } = await client(open())('GET', `${PATH}?limit=0&before_id=rd_1&filter=(`)
    expect(Object.keys(withoutFacts(body.details)).sort()).toEqual([
      'field:before_id',
      'field:filter',
      'field:limit',
      'operation_id',
    ])
  })

  test('is not allowed on operations other than lists', async () => {
    const gateway = open()
    const { id } = gateway.weightedBackends.create()
    const api = client(gateway)
    expect(outcome(await api('GET', `${PATH}/${id}?limit=1`))).toBe('400 ERR_GATEWAY_231')
    expect(outcome(await api('POST', `${PATH}?x=1`, { json: {} }))).toBe('400 ERR_GATEWAY_231')
    expect(outcome(await api('DELETE', `${PATH}/${id}?x=1&x=2`))).toBe('400 ERR_GATEWAY_232')
  })

  test('is the same through the direct API, with a number or a text as limit', () => {
    const gateway = open()
    const ids = createBackends(gateway, 3)
    const page = gateway.weightedBackends.list({ limit: 1, before_id: ids[0] as string })
    expect(page.backends.map(({ id }) => id)).toEqual([ids[1]])
    expect(page.next_page_uri).toContain(`before_id=${ids[1]}`)
    expect(gateway.weightedBackends.list({ limit: '2' }).backends).toHaveLength(2)
    expect(refusalKey(() => gateway.weightedBackends.list({ limit: 1.5 }))).toBe('limit_not_a_number')
    expect(gateway.weightedBackends.list().backends[0]?.created_at).toBe(
      `${new Date(START).toISOString().slice(0, 19)}Z`,
    )
  })
})
