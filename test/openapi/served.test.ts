import { expect, test } from 'vitest'
import { createGateway, ngrok } from '../../src/index.ts'
import { openApi } from '../../src/openapi/openapi.ts'
import { serve } from '../../src/server/node.ts'

test('A served gateway answers the document of its dialect, with its own URL', async () => {
  const gateway = createGateway({ dialect: ngrok })
  await using server = await serve(gateway)
  const answer = await fetch(`${server.url}/_fauxgate/openapi.json`)
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApi(ngrok, { url: server.url }))))
})

test('The document of the controls is at a path of its own, without the paths of the service', async () => {
  const gateway = createGateway({ dialect: ngrok })
  await using server = await serve(gateway)
  const answer = await fetch(`${server.url}/_fauxgate/openapi.control.json`)
  const document = await answer.json()
  expect(document).toEqual(JSON.parse(JSON.stringify(openApi(ngrok, { url: server.url, part: 'controls' }))))
  const isControl = (path: string) => path.startsWith('/_fauxgate/')
  expect(Object.keys(document.paths).every(isControl)).toBe(true)
  expect(Object.keys(openApi(ngrok).paths).some(isControl)).toBe(false)
})

test('In the process the document is there once the gateway is told what makes it', async () => {
  const gateway = createGateway()
  const asked = () => gateway.fetch('http://localhost/_fauxgate/openapi.json')
  expect((await asked()).status).toBe(404)
  gateway.describedBy(openApi)
  expect(await (await asked()).json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: gateway.url }] })
})
