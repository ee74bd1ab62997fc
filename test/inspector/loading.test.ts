import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../support/chromium.ts'
import { populate } from './support/populate.ts'
import { useInspector } from './support/use-inspector.ts'
import { useTraffic, visitApp } from './support/visit-app.ts'
import { watchRequests } from './support/watch-requests.ts'

const findDoubled = (sent: readonly string[]) => sent.filter((each, at) => sent.indexOf(each) !== at)

const TABS = ['now', 'jobs', 'requests', 'traffic', 'resources', 'faults', 'state']

describe.skipIf(!CHROMIUM)('The page', () => {
  const open = useInspector()
  const openTraffic = useTraffic()

  test('sends no request twice, and loads each document and each script with the first view that needs it', async () => {
    const { gateway, server, page } = await open({}, { place: '' })
    const { request, domain } = await populate(gateway, server)
    const settle = watchRequests(page, server.url)
    const views: Record<string, string[]> = {}
    for (const place of [...TABS, `requests/${request}`, `jobs/${domain}`, ...TABS]) {
      await page.goto(`${server.url}/_fauxgate/#${place}`)
      const sent = await settle()
      expect(findDoubled(sent), place).toEqual([])
      views[place] ??= sent
    }
    const all = Object.entries(views).flatMap(([place, sent]) => sent.map((each) => `${place}: ${each}`))
    const find = (name: RegExp) => all.filter((each) => name.test(each))
    expect(find(/openapi\.json/)).toEqual(['resources: GET /_fauxgate/openapi.json'])
    expect(find(/openapi\.control/)).toEqual([])
    expect(find(/\.js$/)).toEqual([
      'now: GET /_fauxgate/page.js',
      'traffic: GET /_fauxgate/traffic.js',
      'resources: GET /_fauxgate/resources.js',
      'state: GET /_fauxgate/state.js',
    ])
    await page.goto(`${server.url}/_fauxgate/#faults`)
    await settle()
    await page.getByText('Set a record').click()
    await page.getByRole('button', { name: 'Set', exact: true }).waitFor()
    expect(await settle()).toEqual(['GET /_fauxgate/openapi.control.json'])
  })

  test('loads only what is new of the traffic', async () => {
    const { gateway, server, page, go } = await openTraffic()
    await visitApp(gateway)
    const settle = watchRequests(page, server.url)
    await go('traffic')
    expect((await settle()).filter((each) => each.endsWith('/traffic'))).toEqual(['GET /_fauxgate/traffic'])
    await gateway.traffic.fetch('https://app.example.com/new', { from: { country: 'DE' } })
    await page.getByText('9 of 9 here').waitFor()
    expect(await settle()).toEqual(['GET /_fauxgate/traffic?after=8'])
  })
})
