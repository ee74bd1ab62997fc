import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { client } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'

const NAMES = [
  '__proto__',
  'constructor',
  '*/',
  ['`$', '{name}`'].join(''),
  "it's",
  '"',
  '\\',
  '\u2028',
  '</script>',
  'a b',
  '1',
]

test('a copied test sends each name of a body as it was, and runs none', async () => {
  const gateway = createNgrok({ seed: 'copied', clock: manualClock(CLOCK_START) })
  const labels = Object.fromEntries(NAMES.map((name) => [name, name]))
  expect((await client(gateway, ngrokFamilies)('POST', '/backends/tunnel_group', { json: { labels } })).status).toBe(
    201,
  )
  const text = await (await gateway.fetch('http://localhost/_fauxgate/test')).text()
  const [, body = ''] = /body: (JSON\.stringify\(.*?\)),\n {2}\}\)/s.exec(text) ?? []
  expect(JSON.parse(runInNewContext(body))).toEqual(JSON.parse(JSON.stringify({ labels })))
})
