import { expect, test } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { createGateway, ngrok } from '../../../src/index.ts'
import { serve } from '../../../src/server/node.ts'

test('A served gateway has the document of its dialect, with its own URL', async () => {
  const gateway = createGateway({ dialect: ngrok })
  await using server = await serve(gateway)
  const answer = await fetch(`${server.url}/_fauxgate/openapi.json`)
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApi(ngrok, { url: server.url }))))
})

test('The document of the controls is at its own path, without the paths of the service', async () => {
  const gateway = createGateway({ dialect: ngrok })
  await using server = await serve(gateway)
  const answer = await fetch(`${server.url}/_fauxgate/openapi.control.json`)
  const document = await answer.json()
  expect(document).toEqual(JSON.parse(JSON.stringify(openApi(ngrok, { url: server.url, part: 'controls' }))))
  const isControl = (path: string) => path.startsWith('/_fauxgate/')
  expect(Object.keys(document.paths).every(isControl)).toBe(true)
  expect(Object.keys(openApi(ngrok).paths).some(isControl)).toBe(false)
})

test('A gateway without a server has the document once a host has described it, and says so before with the path of the call', async () => {
  const gateway = createGateway()
  const fetchDocument = () => gateway.fetch('http://localhost/_fauxgate/openapi.json')
  const missing = await fetchDocument()
  expect(missing.status).toBe(404)
  expect((await missing.json()).msg).toMatch(
    /^GET \/_fauxgate\/openapi\.json is not part of this API, .* This process has no OpenAPI document\. /,
  )
  gateway.transport.describedBy(openApi)
  expect(await (await fetchDocument()).json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: gateway.url }] })
})

test.each<[what: string, message: string, use: () => unknown]>([
  [
    'a name',
    'dialect is "ngrok". Allowed: standard, or ngrok from fauxgate (createNgrok from fauxgate/ngrok',
    () => openApi('ngrok' as never),
  ],
  [
    'a gateway',
    'dialect is an object. Allowed: standard, or ngrok from fauxgate',
    () => openApi(createGateway() as never),
  ],
  [
    'a part of a dialect',
    'or an object such as { ...standard, … } with name,',
    () => openApi({ versionHeader: 'Acme-Version' } as never),
  ],
  [
    'a URL without a scheme',
    'url is "acme.test". Allowed: an http or https URL',
    () => openApi(ngrok, { url: 'acme.test' }),
  ],
  [
    'a family without operations',
    'families is an object. Allowed: an object with families, by name.',
    () => openApi(ngrok, { families: { widgets: { operations: null } } as never }),
  ],
  [
    'another part',
    'part is "control". Allowed: "service" or "controls".',
    () => openApi(ngrok, { part: 'control' as never }),
  ],
  ['families without their option', '"endpoints" is not an option.', () => openApi(ngrok, ngrokFamilies as never)],
  [
    'a list of families',
    'families is an array of 1 item.',
    () => openApi(ngrok, { families: [ngrokFamilies.vaults] as never }),
  ],
])('Invalid input of a document is rejected: %s', (_what, message, use) => {
  expect(use).toThrow(message)
})

test('A slash at the end of the URL does not become part of the paths', () => {
  expect(openApi(ngrok, { url: 'https://acme.test/' }).servers).toMatchObject([{ url: 'https://acme.test' }])
})
