import { afterEach, beforeEach, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { type Served, serve } from '../../src/server/node.ts'
import { runToEnd } from '../support/command.ts'

// rules: control-api#calls

const START = '2026-01-01T00:00:00Z'

let gateway: ReturnType<typeof createNgrok>
let server: Served
beforeEach(async () => {
  gateway = createNgrok({ clock: manualClock(START) })
  server = await serve(gateway)
})
afterEach(() => server.close())

/** Returns the output of a command that succeeds. */
async function readOutput(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runToEnd({ FAUXGATE_URL: server.url }, ...args)
  expect([code, stderr.replace('done at', 'at')]).toEqual([0, `fauxgate: at ${server.url}\n`])
  return stdout
}

test('send visitor requests, and explain the responses', async () => {
  const url = 'https://app.example.com'
  const traffic_policy = JSON.stringify({
    on_http_request: [
      {
        name: 'no admin',
        expressions: ["req.url.path == '/admin'"],
        actions: [{ type: 'deny', config: { status_code: 451 } }],
      },
      { expressions: ["conn.geo.city == 'Berlin'"], actions: [{ type: 'close-connection' }] },
      {
        actions: [
          { type: 'custom-response', config: { body: "${req.method} ${getReqHeader('x-a')[0]} ${conn.client_ip}" } },
        ],
      },
    ],
  })
  gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy }] })
  const explained = await readOutput('request', `${url}/admin`, '--from-country', 'US', '--explain')
  expect(explained).toContain(
    'rule no admin (on_http_request.0) applied\n  req.url.path == \'/admin\' is true (req.url.path = "/admin")',
  )
  expect(explained).toContain('  deny denied with 451\n\n451\n')
  const facts = (city: string) => ['--facts', JSON.stringify({ 'conn.geo.city': city })]
  const flags = ['--method', 'POST', '--body', 'x', '--header', 'x-a: b', '--from-ip', '198.51.100.7', ...facts('Bonn')]
  expect(await readOutput('request', url, ...flags)).toMatch(/^200\n(.+\n)*\nPOST b 198\.51\.100\.7\n$/)
  expect(await readOutput('request', url, ...facts('Berlin'))).toBe('The gateway closed the connection.\n')
  expect(JSON.parse(await readOutput('request', `${url}/admin`, '--json'))).toMatchObject({
    status: 451,
    rule: 'no admin',
  })
  expect((await readOutput('traffic')).split('\n')).toContain(`${START} GET ${url}/admin 451 by the rule no admin`)
  expect(await readOutput('report')).toContain('GET https://app.example.com/admin 451 by the rule no admin')
  await readOutput('traffic', 'clear')
  expect(await readOutput('traffic')).toBe('')
})

test('say which certificate the visitor rejected, and accept it with --insecure', async () => {
  const url = 'https://app.example.com'
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  gateway.declare.tunnelSession({ endpoints: [{ url }] })
  gateway.traffic.upstream(url, () => new Response('hello'))
  expect(await readOutput('request', url)).toBe(
    'The visitor rejected the certificate: the gateway presented its default certificate for *.ngrok.io: app.example.com has no certificate yet. Use --insecure to accept it anyway.\n',
  )
  expect(await readOutput('request', url, '--insecure')).toMatch(/^200\n(.+\n)*\nhello\n$/)
})

test('set the responses of upstreams', async () => {
  const url = 'https://api.example.com'
  gateway.declare.tunnelSession({ endpoints: [{ url }] })
  await readOutput('upstream', url, '--status', '201', '--headers', '{"x-a": "1"}', '--body', 'made', '--times', '1')
  expect(await readOutput('request', url)).toBe('201\ncontent-type: text/plain;charset=UTF-8\nx-a: 1\n\nmade\n')
  expect(await readOutput('request', url)).toContain('ERR_NGROK_8012')
  await readOutput('upstream', 'remove', url)
  const { stderr } = await runToEnd({ FAUXGATE_URL: server.url }, 'upstream', 'remove', url)
  expect(stderr).toContain(`There is no upstream with the URL "${url}".`)
})
