import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Gateway } from '../../../src/index.ts'
import { client, expectError, outcome } from '../../support/client.ts'
import { createTestClock, open } from '../../support/gateway.ts'
import { pem, upload } from '../../support/pem.ts'
import { anyText, check, checkAsync, limitCases } from '../../support/property.ts'
import { createFilters, type Fields, type Item } from './filter-model.ts'

const HOUR = 3_600_000
const HEAD = ['obj.id', 'obj.uri', 'obj.description', 'obj.metadata']
const JOB = 'obj.certificate_management_status.provisioning_job'

type Query = { limit?: number; before_id?: string; filter?: string }
type Page = { readonly next_page_uri: string | null } & { readonly [items: string]: unknown }

/** A family under test: its list, the read of an item, and the fields that a filter can name. */
interface Family {
  readonly path: string
  readonly items: string
  readonly list: (gateway: Gateway, query: Query) => Page
  readonly get: (gateway: Gateway, id: string) => Item
  readonly fields: Fields
}

const FAMILIES: readonly Family[] = [
  {
    path: '/reserved_domains',
    items: 'reserved_domains',
    list: (gateway, query) => ({ ...gateway.reservedDomains.list(query) }),
    get: (gateway, id) => ({ ...gateway.reservedDomains.get(id) }),
    fields: {
      texts: [
        ...HEAD,
        'obj.domain',
        'obj.region',
        'obj.cname_target',
        'obj.acme_challenge_cname_target',
        'obj.certificate.id',
        'obj.certificate_management_policy.private_key_type',
        'obj.http_endpoint_configuration.uri',
        `${JOB}.error_code`,
        `${JOB}.msg`,
      ],
      times: [
        'obj.created_at',
        'obj.certificate_management_status.renews_at',
        `${JOB}.started_at`,
        `${JOB}.retries_at`,
      ],
      numbers: [],
      lists: [],
      maps: [],
      objects: ['obj.certificate', 'obj.certificate_management_policy', 'obj.certificate_management_status', JOB],
      terms: ['eu', 'us', 'a.example.com', '*.b.example.com', 'team=blue', 'rsa', 'ecdsa', 'büro 😀', 'DNS_ERROR'],
    },
  },
  {
    path: '/backends/weighted',
    items: 'backends',
    list: (gateway, query) => ({ ...gateway.weightedBackends.list(query) }),
    get: (gateway, id) => ({ ...gateway.weightedBackends.get(id) }),
    fields: {
      texts: HEAD,
      times: ['obj.created_at'],
      numbers: ['obj.backends.bkdhr_1', 'obj.backends.bkdhr_2', 'obj.backends.none'],
      lists: [],
      maps: ['obj.backends'],
      objects: [],
      terms: ['bkdhr_1', 'bkdhr_2', 'none', 'blue', 'https://api.gateway.test/backends/weighted/'],
    },
  },
  {
    path: '/tls_certificates',
    items: 'tls_certificates',
    list: (gateway, query) => ({ ...gateway.tlsCertificates.list(query) }),
    get: (gateway, id) => ({ ...gateway.tlsCertificates.get(id) }),
    fields: {
      texts: [...HEAD, 'obj.private_key_type', 'obj.subject_common_name', 'obj.subject_country', 'obj.serial_number'],
      times: ['obj.created_at', 'obj.issued_at', 'obj.not_before', 'obj.not_after'],
      numbers: [],
      lists: ['obj.key_usages', 'obj.extended_key_usages', 'obj.subject_alternative_names.dns_names'],
      maps: [],
      objects: [],
      terms: ['digitalSignature', 'keyEncipherment', 'serverAuth', 'app.example.com', 'rsa', 'ecdsa', 'ed25519', 'DE'],
    },
  },
]

/** Creates a gateway with items of every family, created at different times, and its clock. */
function openWithItems() {
  const clock = createTestClock()
  const gateway = open({ clock })
  for (let n = 0; n < 11; n++) {
    clock.advance(n * 11 * HOUR + n * 250)
    const notes = {
      ...(n % 3 === 0 && { description: ['', 'büro 😀', 'a'][(n / 3) % 3] as string }),
      ...(n % 2 === 0 && { metadata: n % 4 === 0 ? 'team=blue' : 'blue' }),
    }
    const domain = gateway.reservedDomains.create({
      domain:
        (['a', '*.b', 'c', 'd.e'][n % 4] as string) + (n > 3 ? n : '') + (n === 10 ? '.gateway.test' : '.example.com'),
      ...notes,
      ...(n % 3 === 1 && { region: n % 2 ? 'eu' : 'us' }),
      ...(n % 4 === 1 && { certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' } }),
      ...(n % 4 === 2 && n < 10 && { certificate_management_policy: { authority: 'letsencrypt' } }),
    })
    if (n % 4 === 1) gateway.provisioning.script(['DNS_ERROR', 'success', 'INTERNAL_ERROR'], { domain: domain.domain })
    if (n % 5 === 0) gateway.reservedDomains.update(domain.id, { http_endpoint_configuration_id: 'ec_1' })
    const weights = [{}, { bkdhr_1: 5 }, { bkdhr_1: 0, bkdhr_2: 5 }, { bkdhr_2: 16, bkdhr_3: 2, bkdhr_4: 3 }]
    gateway.weightedBackends.create({ ...notes, backends: weights[n % 4] as Record<string, number> })
    if (n < 3) gateway.tlsCertificates.create({ ...notes, ...upload((['p256', 'rsa2048', 'ed25519'] as const)[n]) })
  }
  const bareCertificate = { certificate_pem: pem('odd-bare'), private_key_pem: pem('key-p256') }
  gateway.tlsCertificates.create(bareCertificate)
  return { gateway, clock }
}

/** Lists the ids of all pages through the direct API. Each call has the last id of the page before. */
function listDirectly({ list, items }: Family, gateway: Gateway, query: Query): string[] {
  const ids: string[] = []
  for (let before_id: string | undefined; ; ) {
    const page = list(gateway, { ...query, ...(before_id && { before_id }) })
    const pageIds = (page[items] as readonly { id: string }[]).map(({ id }) => id)
    expect(pageIds.length).toBeLessThanOrEqual(query.limit ?? 100)
    ids.push(...pageIds)
    if (page.next_page_uri === null) return ids
    before_id = ids.at(-1) as string
  }
}

/** Lists the ids of all pages over HTTP, by `next_page_uri`. */
async function listOverHttp({ path, items }: Family, gateway: Gateway, query: Query): Promise<string[]> {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const ids: string[] = []
  for (let next: string | null = `${path}?${parameters}`; next !== null; ) {
    const answer = await client(gateway)('GET', next)
    expect(outcome(answer)).toBe('200')
    ids.push(...answer.body[items].map(({ id }: { id: string }) => id))
    next = answer.body.next_page_uri
  }
  return ids
}

describe.each(FAMILIES)('A list filter over $path (rules: filters#language)', (family) => {
  const { gateway, clock } = openWithItems()
  const { condition, generateIllTyped: illTyped } = createFilters(family.fields)
  let newestFirst: readonly Item[] = []

  beforeAll(() => {
    const ids = listDirectly(family, gateway, {})
    newestFirst = ids.map((id) => family.get(gateway, id))
    expect(newestFirst.length).toBeGreaterThan(3)
  })

  test('selects the same items as a simple evaluator, newest first and page by page', async () => {
    await checkAsync(
      fc.asyncProperty(
        condition.filter(({ text }) => text.length <= 2048),
        fc.integer({ min: 1, max: 12 }),
        async ({ text: filter, value }, limit) => {
          const expected = newestFirst.filter((item) => value(item, clock.now())).map(({ id }) => id)
          expect(listDirectly(family, gateway, { filter, limit })).toEqual(expected)
          expect(await listOverHttp(family, gateway, { filter, limit })).toEqual(expected)
        },
      ),
      { numRuns: limitCases(200) },
    )
  })

  test('with a type error anywhere is rejected at one of its characters', async () => {
    await checkAsync(
      fc.asyncProperty(illTyped, async (filter) => {
        const error = expectError(() => family.list(gateway, { filter }))
        expect(error.key).toBe('filter_invalid')
        if (filter.length <= 2048) {
          const character = Number(/: at character (\d+): .*; expected ./s.exec(error.message)?.[1])
          expect(character).toBeGreaterThanOrEqual(1)
          expect(character).toBeLessThanOrEqual(filter.length)
        }
        const answer = await client(gateway)('GET', `${family.path}?filter=${encodeURIComponent(filter)}`)
        expect(outcome(answer)).toBe('400 ERR_GATEWAY_250')
        expect(answer.body.msg).toBe(error.message)
      }),
      { numRuns: limitCases(200) },
    )
  })

  test('of any text selects items, or is rejected with less than 2,000 characters', () => {
    const tokens = [
      ...`( ) [ ] { } , . : ? ! - + && || == <= > in " '`.split(' '),
      ' ',
      ...'obj time now size timestamp add startsWith has all map exists x if //'.split(' '),
      ...['"7d"', '"2026-01-01T00:00:00Z"', '5', '5u', '0x', '1e', 'b"', 'r"', '"""', '\\', '\n', '😀', '\ud800', '\0'],
      ...['obj.id', 'timestamp(time.now)', 'true', 'null', '[1]', ...family.fields.texts, ...family.fields.maps],
    ]
    const tokenTexts = fc.array(fc.constantFrom(...tokens), { maxLength: 40 }).map((parts) => parts.join(''))
    check(
      fc.property(fc.oneof(tokenTexts, anyText(60)), (filter) => {
        let message: string | undefined
        try {
          family.list(gateway, { filter })
        } catch (error) {
          expect((error as { key?: string }).key).toBe('filter_invalid')
          message = (error as Error).message
        }
        expect(message?.length ?? 0).toBeLessThan(2000)
      }),
      { numRuns: limitCases(300) },
    )
  })
})
