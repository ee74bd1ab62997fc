import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadPolicyTests } from '../../src/server/policy/test-files.ts'
import { describeFailure } from '../../src/testing/policy-tests/text.ts'
import type { Page } from '../../tools/browser.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { useInspector } from './support/use-inspector.ts'
import { useTraffic, visitApp } from './support/visit-app.ts'

const URL_OF_APP = 'https://app.example.com'

/** Returns the stops of the trace that the page shows. */
const stops = (page: Page) => page.locator('.trace > li').allInnerTexts()

describe.skipIf(!CHROMIUM)('The tab Traffic', () => {
  const open = useTraffic()
  const openStandard = useInspector()

  test('says how to send a first request, and shows requests as they come', async () => {
    const { gateway, page, go } = await open()
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://shop.example.com' }] })
    await go('traffic')
    await page.getByText('npx --no -- fauxgate request https://shop.example.com/ --explain').waitFor()
    await page.getByText('--traffic 8080 --upstream https://shop.example.com=').waitFor()
    gateway.traffic.upstream('https://shop.example.com', () => new Response('hello'))
    await gateway.traffic.fetch('https://shop.example.com/first')
    await page.getByRole('link', { name: /shop\.example\.com\/first/ }).waitFor()
    await gateway.traffic.fetch('https://shop.example.com/second')
    await page.getByRole('link', { name: /shop\.example\.com\/second/ }).waitFor()
    await page.getByText('2 of 2 here').waitFor()
    gateway.traffic.clear()
    await page.getByText('No visitors yet.').waitFor()
    await gateway.traffic.fetch('https://shop.example.com/third').catch(() => undefined)
    await page.getByText('1 of 1 here').waitFor()
  })

  test('neither loads endpoints nor suggests a request to one in a dialect without them', async () => {
    const { page, go } = await openStandard({}, { place: '' })
    const paths: string[] = []
    page.on('request', (each) => paths.push(new URL(each.url()).pathname))
    await go('traffic')
    await page.getByText('This dialect has no endpoints.').waitFor()
    await page.getByText('serve --dialect ngrok --traffic 8080').waitFor()
    expect(await page.getByText('fauxgate request').count()).toBe(0)
    expect(paths).toContain('/_fauxgate/traffic')
    expect(paths).not.toContain('/endpoints')
  })

  test('shows the trace of a request: rules with values, headers before and after, and the end', async () => {
    const { gateway, page, go } = await open()
    await visitApp(gateway)
    await go('traffic/4')
    await page.getByText('the visitor got 403').waitFor()
    const refused = await stops(page)
    expect(refused[0]).toContain('203.0.113.9 · US')
    expect(refused[1]).toMatch(/^Endpoint\s+ep_\w+ at https:\/\/app\.example\.com handled the request/)
    expect(refused[2]).toBe('on_http_request')
    for (const each of ['no admin', "startsWith('/admin') → true", '"/admin/users"', '"US"', 'deny denied with 403'])
      expect(refused[3]).toContain(each)
    expect(refused[4]).toMatch(/^Upstream\s+not reached/)
    expect(refused[5]).toMatch(/^Response\s+403/)
    await go('traffic/2')
    await page.getByText('responded with 200').waitFor()
    const passed = (await stops(page)).join('\n')
    for (const each of ['+ x-country: DE', '− x-debug: 1', '+ x-forwarded-for: 198.51.100.7', '− x-powered-by: node'])
      expect(passed).toContain(each)
    await go('traffic/6')
    await page.getByText('has no upstream').waitFor()
    expect((await stops(page)).at(-1)).toContain('ERR_NGROK_8012')
  })

  test('has a link for each request, and works with the keys alone and with back and forward', async () => {
    const { gateway, page, go } = await open()
    await visitApp(gateway)
    await go('traffic/2?q=app')
    await page.getByRole('heading', { name: `GET ${URL_OF_APP}/orders?page=2` }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: `POST ${URL_OF_APP}/orders` }).waitFor()
    expect(page.url()).toMatch(/#traffic\/3\?q=app$/)
    await page.goBack()
    await page.getByRole('heading', { name: `GET ${URL_OF_APP}/orders?page=2` }).waitFor()
    await page.goForward()
    await page.getByRole('heading', { name: `POST ${URL_OF_APP}/orders` }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('aside').waitFor({ state: 'detached' })
    expect(page.url()).toMatch(/#traffic\?q=app$/)
    await page.keyboard.press('/')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('status:4xx rule:yes')
    await page.getByText('1 of 8 here').waitFor()
    await go('traffic/999')
    await page.getByText('The traffic journal does not contain this request.').waitFor()
  })

  test('sends a visit again, also changed, and shows the new one', async () => {
    const { gateway, page, go } = await open()
    await visitApp(gateway)
    await go('traffic/4')
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.waitForURL(/#traffic\/9$/)
    // Its trace is like that of the visit before.
    await page.locator('.chosen .c-time').getByText('9', { exact: true }).waitFor()
    await expect.poll(() => stops(page)).toHaveLength(6)
    expect(gateway.traffic.last()).toMatchObject({ number: 9, status: 403, from: { ip: '203.0.113.9', country: 'US' } })
    await page.getByText('Edit and send again').click()
    await page.getByRole('textbox', { name: 'URL' }).fill(`${URL_OF_APP}/orders`)
    await page.getByRole('textbox', { name: 'Body' }).fill('{"item":"a pen"}')
    await page.getByRole('textbox', { name: 'Method' }).fill('POST')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('heading', { name: `POST ${URL_OF_APP}/orders` }).waitFor()
    expect(gateway.traffic.last()).toMatchObject({ number: 10, status: 201, body: '{"item":"a pen"}' })
    await page.getByText('Edit and send again').click()
    await page.getByLabel('Visitor').fill('{"country":"Germany"}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('aside').getByRole('alert').filter({ hasText: 'country' }).waitFor()
  })

  test('shows no secret, and names what it hides instead of sending less', async () => {
    const { gateway, page, go } = await open()
    await visitApp(gateway)
    for (const [number, hidden] of [
      [8, 'the header authorization'],
      [3, 'a body value'],
    ] as const) {
      await go(`traffic/${number}`)
      await page.getByText(`It cannot be sent again exactly: the journal hides ${hidden}.`).waitFor()
      await page.locator('.trace > li').last().waitFor()
      expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0)
      const html = await page.content()
      for (const secret of ['0123456789abcdef', 'tok_0123456789']) expect(html).not.toContain(secret)
    }
  })

  test('copies a visit as a policy test that passes, and that fails with another policy', async () => {
    const { gateway, page, go } = await open()
    await visitApp(gateway)
    const limited = 'https://limited.example.com'
    gateway.declare.tunnelSession({
      endpoints: [
        {
          url: limited,
          traffic_policy: JSON.stringify({
            on_http_request: [
              {
                name: 'slow down',
                actions: [
                  {
                    type: 'rate-limit',
                    config: {
                      name: 'all',
                      algorithm: 'sliding_window',
                      capacity: 3,
                      rate: '60s',
                      bucket_key: ['conn.client_ip'],
                    },
                  },
                ],
              },
            ],
          }),
        },
      ],
    })
    gateway.traffic.upstream(limited, () => new Response('hello'))
    for (let count = 0; count < 4; count++) {
      await gateway.traffic.fetch(`${limited}/?a=${Math.min(count, 1)}`)
      if (count === 0) gateway.clock.advance('5s')
    }
    expect(gateway.traffic.last()?.status).toBe(429)
    // 1 passes, 4 is rejected, 5 is redirected, and 12 is the fourth in a minute.
    for (const number of [1, 4, 5, 12]) {
      await go(`traffic/${number}`)
      await page.getByRole('button', { name: 'Copy as policy test' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const text = await page.evaluate(() => navigator.clipboard.readText())
      expect(await runPolicyTest(text), text).toEqual([''])
      const other = text.replace(
        /^policy:\n( .*\n)+/m,
        'policy: { on_http_request: [{ actions: [{ type: deny, config: { status_code: 418 } }] }] }\n',
      )
      expect(await runPolicyTest(other)).toEqual([expect.stringContaining('received 418')])
    }
  })

  test('shows the modules of an edge, and sends its visit to the same edge, route and backend again', async () => {
    const { gateway, page, go } = await openStandard({}, { place: '' })
    gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' }, { enabled: true })
    gateway.traffic.upstream('bkdhr_1', () => new Response('hello '.repeat(100)))
    const target = { edge: 'edghts_1', route: 'edghtsrt_1', backend: 'bkdhr_1' }
    await gateway.traffic.fetch('https://any.example.com/', { ...target, headers: { 'accept-encoding': 'gzip' } })
    await go('traffic/1')
    await page.locator('.trace').getByText('Module').waitFor()
    expect((await stops(page)).map((each) => each.split('\n')[0])).toEqual([
      'Visitor 203.0.113.1',
      'Backend',
      'Upstream responded with 200',
      'Module',
      'Response 200',
    ])
    await page.getByText('No policy test: ').waitFor()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.waitForURL(/#traffic\/2$/)
    expect(gateway.traffic.last()).toMatchObject({ number: 2, status: 200, target })
  })

  test('says why it makes no policy test of a visit that did not depend on the policy alone', async () => {
    const { gateway, page, go } = await open()
    await visitApp(gateway)
    const place = async (number: number, why: string) => {
      await go(`traffic/${number}`)
      await page.getByText(`No policy test: ${why}`).waitFor()
      expect(await page.getByRole('button', { name: 'Copy as policy test' }).count()).toBe(0)
    }
    await place(6, 'the request stopped at the upstream, and a test has only the policy.')
    await place(7, 'the request stopped at the endpoint, and a test has only the policy.')
    gateway.traffic.upstream('https://down.example.com', () => new Response('up'))
    await gateway.traffic.fetch('https://down.example.com/')
    await place(9, 'its endpoint has no policy.')
    for (const { id } of gateway.tunnelSessions.list().tunnel_sessions) gateway.declare.end(id)
    await place(1, 'its endpoint no longer has a policy.')
  })
})

/** Runs a policy test as `fauxgate policy test` does. Returns for each test why it failed; an empty text if it passed. */
async function runPolicyTest(text: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-copied-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'copied.test.yml')
  writeFileSync(file, text)
  const { tests, load } = loadPolicyTests(file)
  const run = await load()
  return Promise.all(
    tests.map(async (each) => {
      const result = await run.run(each)
      return result.differences.length === 0 ? '' : describeFailure(result)
    }),
  )
}
