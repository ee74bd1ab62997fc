import { describe, expect, onTestFinished, test } from 'vitest'
import type { Trouble } from '../../src/generated/controls.ts'
import { serve } from '../../src/server/node.ts'
import { CHROMIUM, opensPages } from '../support/chromium.ts'
import { controlClient, uncheckedClient } from '../support/client.ts'
import { isLike, openPlanted, PLANTED } from '../support/planted-troubles.ts'

/** Returns a text as the page shows its times. */
const shown = (text: string) => text.replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z/g, '$1 $2')

/** Returns the text of a row, whose sentences are lines. */
const joinLines = (text: string) => text.replaceAll(/\s*\n\s*/g, ' ')

const sum = (troubles: readonly Trouble[]) => troubles.reduce((total, { count }) => total + count, 0)

describe.skipIf(!CHROMIUM)('Now, with all troubles of the table at once,', () => {
  const newPage = opensPages()

  async function openWithAll() {
    const gateway = openPlanted()
    for (const { make } of PLANTED) await make(gateway)
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const page = await newPage()
    await page.goto(`${server.url}/_fauxgate/#now`)
    const card = page.locator('.card').filter({ hasText: 'Worth a look' })
    await card.getByText(/^\d+ more rejected$/).click()
    const list = async () => (await controlClient(gateway)('GET', '/troubles')).body as Trouble[]
    return { page, card, list, rows: card.getByRole('listitem') }
  }

  test('explains each in one row, the worst kinds first, and counts them as the server does', async () => {
    const { card, list, rows } = await openWithAll()
    const listed = await list()
    await expect.poll(() => rows.count()).toBe(listed.length)
    const texts = (await rows.allInnerTexts()).map(joinLines)
    for (const [at, { kind, cause }] of listed.entries()) {
      expect(texts[at]?.toLowerCase()).toMatch(new RegExp(`^${kind}`))
      expect(texts[at]).toContain(shown(cause))
    }
    for (const { name, kind, cause, about, count = 1 } of PLANTED) {
      const like = listed.filter(
        (each) => isLike(each.cause, cause) && each.about.some((place) => isLike(place.name, about)),
      )
      expect(like, name).toMatchObject([{ kind, count }])
    }
    const sentences = await card.locator('.trouble p:not(:last-child)').allTextContents()
    expect(sentences.filter((each) => /[a-z][.?] [A-Z]/.test(each))).toEqual([])
    const kinds = [...new Set(listed.map(({ kind }) => kind))]
    const summary = kinds.map((kind) => `${sum(listed.filter((each) => each.kind === kind))} ${kind}`).join(', ')
    expect(await card.textContent()).toContain(summary)
  })

  test('has for each a link to where it is, and a button that ends it where a control can', async () => {
    const { page, list, rows } = await openWithAll()
    const links = await rows.getByRole('link').evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''))
    /** Waits until the page shows the present causes: a button of an earlier row would change nothing. */
    const waitForPresent = async () => {
      // Of several domains with one cause, the page counts them first.
      const causes = (await list()).map(({ cause }) => shown(cause).toLowerCase())
      const readRows = async () => (await rows.allInnerTexts()).map((text) => joinLines(text).toLowerCase())
      await expect
        .poll(async () => (await readRows()).map((text, at) => (text.includes(causes[at] ?? '') ? causes[at] : text)))
        .toEqual(causes)
    }
    const buttons = rows.getByRole('button')
    await waitForPresent()
    while ((await buttons.count()) > 0) {
      const before = JSON.stringify(await list())
      await buttons.first().click()
      await expect.poll(async () => JSON.stringify(await list())).not.toBe(before)
      await waitForPresent()
      expect(await buttons.count()).toBe((await list()).filter(({ fix }) => fix).length)
    }
    expect((await list()).filter(({ kind }) => kind === 'injected' || kind === 'fixed' || kind === 'waiting')).toEqual(
      [],
    )
    expect(links.length).toBeGreaterThanOrEqual(PLANTED.length)
    for (const href of new Set(links)) {
      await page.goto(`${page.url().split('#')[0]}${href}`)
      await page.locator('main').waitFor()
      expect(await page.locator('main').textContent(), href).not.toMatch(
        /has no (managed domain|request) with this id|does not have it/,
      )
    }
  })

  test('has each sentence on a line, and a quoted value on one', async () => {
    const gateway = openPlanted()
    const json = { mutual_tls: 'Say "hi". One. Two' }
    await uncheckedClient(gateway)('POST', '/edges/https', { json })
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const page = await newPage()
    await page.goto(`${server.url}/_fauxgate/#now`)
    const lines = page.locator('.trouble p')
    await lines.nth(2).waitFor()
    const shown = ['mutual_tls is "Say \\"hi\\". One. Two".', 'Allowed: an object.', 'POST /edges/https']
    expect((await lines.allTextContents()).map((each) => each.trim())).toEqual(shown)
  })

  test('shows what no journal has as soon as it is rejected', async () => {
    const gateway = openPlanted()
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const page = await newPage()
    await page.goto(`${server.url}/_fauxgate/#now`)
    await page.getByText('live', { exact: true }).waitFor()
    const planted = PLANTED.filter(({ about }) => about === 'tunnel shop' || about.includes('api.example.net'))
    expect(planted).toHaveLength(2)
    const rows = page.locator('.card').filter({ hasText: 'Worth a look' }).getByRole('listitem')
    for (const { make, about } of planted) {
      await make(gateway)
      await rows.filter({ hasText: `2 requests, the last: ${about}` }).waitFor()
    }
    await page.getByRole('link', { name: /^cr_/ }).click()
    await page.getByRole('complementary').getByText('bind:*.example.com').first().waitFor()
  })
})
