import { describe, expect, onTestFinished, test } from 'vitest'
import type { JournalEntry, Overview, Timelines, Trouble } from '../../src/generated/controls.ts'
import type { Gateway, Store } from '../../src/index.ts'
import { serve, sqliteStore } from '../../src/server/node.ts'
import { certificatePair, expiredPair } from '../../src/testing/testing.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { controlClient, uncheckedClient } from '../support/client.ts'
import { memoryStore } from '../support/memory-store.ts'
import { DOMAIN, ECDSA, openManual } from '../support/provisioning.ts'
import { hasSqlite, newFile } from '../support/sqlite.ts'
import { useInspector } from './support/use-inspector.ts'

const read = async <T>(gateway: Gateway, path: string) => (await controlClient(gateway)('GET', path)).body as T

const shown = (count: number) => count.toLocaleString('en')

/** Sends requests that are rejected, since the domain is taken. */
async function flood(gateway: Gateway, times: number) {
  const send = uncheckedClient(gateway)
  for (let at = 0; at < times; at++) await send('POST', '/reserved_domains', { json: { domain: 'taken.example.com' } })
}

describe.skipIf(!CHROMIUM)('The numbers of the page are those of the server', () => {
  const open = useInspector()

  test('after 3,000 rejected requests, of which the journal keeps 1,000', async () => {
    const { gateway, page, go } = await open()
    gateway.reservedDomains.create({ domain: 'taken.example.com' })
    await flood(gateway, 3000)
    const overview = await read<Overview>(gateway, '/overview')
    expect(overview).toMatchObject({ requests: 1000, dropped: 2000 })
    const refused = (await read<Trouble[]>(gateway, '/troubles')).find(({ kind }) => kind === 'rejected')
    expect(refused?.count).toBe((await read<JournalEntry[]>(gateway, '/requests')).length)
    await page.getByRole('link', { name: `${shown(refused?.count ?? 0)} requests` }).click()
    await page.getByText('1,000 of 1,000 here, 2,000 earlier ones left out').waitFor()
    await flood(gateway, 1)
    await page.getByText('1,000 of 1,000 here, 2,001 earlier ones left out').waitFor()
    await go('now')
    // Including the errors that the journal has dropped.
    await page.getByText('3,001 rejected').waitFor()
  })

  test('after a domain has failed for 80 days', async () => {
    const { gateway, page, go } = await open()
    gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
    gateway.clock.advance('80d')
    const [timeline] = (await read<Timelines>(gateway, '/timelines')).timelines
    await page.getByText(`${shown(timeline?.attempts ?? 0)} attempts failed.`).waitFor()
    await go('jobs')
    await page.getByText(`${shown(timeline?.attempts ?? 0)} attempts in 80 d`).waitFor()
  })

  test('with an expired upload behind 150 newer certificates', async () => {
    const { gateway, page } = await open()
    gateway.tlsCertificates.create(expiredPair({ names: ['old.example.com'], issuers: 2 }))
    const valid = certificatePair({ names: ['a.example.com'] })
    for (let number = 0; number < 150; number++) gateway.tlsCertificates.create(valid)
    const { counts } = await read<Overview>(gateway, '/overview')
    await page.getByText(`${shown(counts.tls_certificates ?? 0)} TLS certificates`).waitFor()
    await page.locator('.card').filter({ hasText: 'Worth a look' }).getByText('1 unused', { exact: true }).waitFor()
    await page.getByText('The uploaded certificate expired at').waitFor()
  })

  test('and its numbers of requests those of a page that is opened later', async () => {
    const store = memoryStore()
    const { gateway, server, page, context } = await open({ store, journalSize: 5 }, { place: 'requests' })
    const readNumbers = (from: typeof page) => from.locator('.line:not(.heads) > .c-time').allInnerTexts()
    const later = async (port: number) => {
      const other = await context.newPage()
      await other.goto(`http://localhost:${port}/_fauxgate/#requests`)
      return other
    }
    await flood(gateway, 8)
    await expect.poll(() => readNumbers(page)).toEqual(['8', '7', '6', '5', '4'])
    const second = await later(server.port)
    await expect.poll(() => readNumbers(second)).toEqual(['8', '7', '6', '5', '4'])
    await server.close()
    const restarted = openManual({ store: memoryStore(store.commits) })
    const again = await serve(restarted, { port: server.port })
    onTestFinished(() => again.close())
    await page.getByText('live', { exact: true }).waitFor()
    await flood(restarted, 2)
    await expect.poll(() => readNumbers(page)).toEqual(['2', '1', '8', '7', '6', '5', '4'])
    const third = await later(again.port)
    await expect.poll(() => readNumbers(third)).toEqual(['2', '1'])
  })

  test(`after a restart of a server with its ${hasSqlite ? 'data file' : 'store in memory: this Node has no SQLite'}`, async () => {
    const openStore = createStores()
    const first = openStore()
    const { gateway, server, page, go } = await open({ store: first })
    for (let number = 0; number < 40; number++)
      gateway.reservedDomains.create({ domain: `d${number}.example.com`, certificate_management_policy: ECDSA })
    gateway.clock.advance('3h')
    await page.getByText('40 broken').waitFor()
    const before = await read<Trouble[]>(gateway, '/troubles')
    await server.close()
    gateway.dispose()
    first.close()
    const store = openStore()
    const restarted = openManual({ dns: 'simulated', store })
    const again = await serve(restarted, { port: server.port })
    onTestFinished(async () => {
      await again.close()
      store.close()
    })
    await page.getByText('live', { exact: true }).waitFor()
    expect(await read<Trouble[]>(restarted, '/troubles')).toEqual(before)
    await page.getByText('40 domains: no CNAME record leads to its target.').waitFor()
    await page.getByRole('link', { name: '32 more' }).click()
    await page.getByRole('button', { name: 'failing 40' }).waitFor()
    const [timeline] = (await read<Timelines>(restarted, '/timelines?name=d39.example.com')).timelines
    await go(`jobs/${timeline?.id}`)
    const transitions = page.getByRole('complementary').locator('ol').getByRole('listitem')
    await expect.poll(() => transitions.first().textContent()).toBe('The server restarted.')
    expect(await transitions.count()).toBe((timeline?.earlier ?? 0) + 1)
    await page.getByRole('button', { name: 'Run the attempt now' }).click()
    await expect.poll(() => transitions.count()).toBe((timeline?.earlier ?? 0) + 3)
    expect(await transitions.nth(2).textContent()).toBe('The server restarted.')
  })
})

/** Returns a function that opens a store again with everything that it has persisted: in a file, if this Node has SQLite. */
function createStores(): () => Store & { close(): void } {
  const file = newFile()
  const memory = memoryStore()
  return () =>
    hasSqlite ? sqliteStore(file) : { ...memoryStore(memory.commits), append: memory.append, close: () => undefined }
}
