import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { hasBrowser, opening } from './support/opened.ts'

const DOCUMENTS = fileURLToPath(new URL('../../dist/documents.js', import.meta.url))

function accountPage(): string {
  const [, packed = ''] = /\baccount = "([^"]*)"/.exec(readFileSync(DOCUMENTS, 'utf8')) ?? []
  return gunzipSync(Buffer.from(packed, 'base64')).toString('utf8')
}

const AT = '2026-01-01T00:00:00Z'

describe.skipIf(!hasBrowser)('The account page of the sandboxes', () => {
  const open = opening()

  test('searches, sorts, renews keys, and deletes several after it has asked', async () => {
    const { context } = await open()
    const page = await context.newPage()
    let names = ['zeta', 'alpha', 'beta']
    const described = (name: string) => ({
      ...{
        name,
        url: `http://account.test/s/${name}`,
        created_at: AT,
        expires_at: null,
        dialect: 'standard',
        clock: 'manual',
      },
      ...{ last_used_at: AT, now: AT, next_event_at: null, records: name.length, bytes: 1000 },
    })
    await page.route('http://account.test/**', (route) => {
      const url = new URL(route.request().url())
      const [, , name = '', what] = url.pathname.split('/')
      const method = route.request().method()
      if (url.pathname === '/') return route.fulfill({ contentType: 'text/html', body: accountPage() })
      if (method === 'DELETE') {
        names = names.filter((each) => each !== name)
        return route.fulfill({ status: 204 })
      }
      if (what === 'keys') return route.fulfill({ json: { api_key: 'ak_new', control_key: 'ck_new' } })
      if (name) return route.fulfill({ json: described(name) })
      return route.fulfill({ json: { sandboxes: names.map(described), next_after: null, dialects: ['standard'] } })
    })
    await page.goto('http://account.test/')
    const shown = () => page.locator('tbody th a').allTextContents()
    await expect.poll(shown).toEqual(['alpha', 'beta', 'zeta'])
    await page.getByRole('button', { name: 'Sort by Name' }).click()
    expect(await shown()).toEqual(['zeta', 'beta', 'alpha'])
    await page.getByRole('searchbox').fill('eta')
    await expect.poll(shown).toEqual(['zeta', 'beta'])
    await page.getByRole('button', { name: 'New keys' }).first().click()
    await page.getByRole('button', { name: 'End its present keys?' }).click()
    await page.getByText('ak_new').waitFor()
    await page.getByLabel('Choose zeta').check()
    await page.getByLabel('Choose beta').check()
    await page.getByRole('button', { name: 'Delete the 2 chosen' }).click()
    expect(names).toHaveLength(3)
    await page.getByRole('button', { name: 'Delete 2 sandboxes with all state?' }).click()
    await expect.poll(() => names).toEqual(['alpha'])
  })
})
