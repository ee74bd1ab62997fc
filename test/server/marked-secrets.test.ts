import { get, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { withLog } from '../../src/server/log/gateway-log.ts'
import { jsonLog } from '../../src/server/log/log.ts'
import { lockers, sent } from '../support/lockers.ts'
import { serveGateway } from '../support/serve.ts'

test('A field that a schema marks as secret is in no line of the log, and in nothing that the page receives (rules: secrets#fields)', async () => {
  const gateway = createGateway({ families: { lockers }, seed: 'marked', clock: { now: () => 0 } })
  const lines: string[] = []
  const logged = withLog(
    gateway,
    jsonLog((text) => lines.push(text)),
    { lockers },
    [],
  )
  const { url } = await serveGateway(logged)
  const received = await new Promise<IncomingMessage>((resolve) => get(`${url}/_fauxgate/events`, resolve))
  onTestFinished(() => void received.destroy())
  const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
  const send = (method: string, path: string, json?: object) =>
    fetch(url + path, { method, headers, body: json ? JSON.stringify(json) : null })

  const { id } = await (await send('POST', '/lockers', sent)).json()
  const refused = await send('POST', '/lockers', { ...sent, pin: ['planted-refused'], codes: 'planted-refused' })
  expect(refused.status).toBe(400)
  await send('PATCH', `/lockers/${id}`, { pin: 'planted-again' })
  await send('DELETE', `/lockers/${id}`)

  let events = ''
  for await (const part of received.setEncoding('utf8')) {
    events += part
    if (events.includes('"lockers.delete"')) break
  }
  const log = lines.join('')
  expect(log).toContain(await refused.json().then(({ error_code }) => error_code))
  for (const [place, text] of Object.entries({ log, events })) {
    expect(text, place).toContain('lockers.delete')
    expect(text, place).not.toContain('planted-')
  }
})
