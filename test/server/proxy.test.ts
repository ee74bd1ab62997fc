import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess, startServer } from '../support/command.ts'
import { listen } from '../support/serve.ts'
import { waitUntil } from '../support/wire.ts'

/** Starts a proxy, and returns the environment that names it, with the requests that it received. */
async function startProxy() {
  const received: string[] = []
  const proxy = createServer(({ method, url }, response) => {
    received.push(`${method} ${url}`)
    response.writeHead(502).end()
  })
  proxy.on('connect', ({ method, url }, socket) => {
    received.push(`${method} ${url}`)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  const address = await listen(proxy)
  const direct = { NO_PROXY: '', no_proxy: '' }
  return { received, environment: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address, ...direct } }
}

// rules: events#delivery
test('With a proxy from the environment, events reach a destination on this machine directly', async () => {
  const { received, environment } = await startProxy()
  const posted: string[] = []
  const destination = createServer((request, response) => {
    posted.push(`${request.method} ${request.url}`)
    response.end()
  })
  const flags = ['--events-to-datadog', `${await listen(destination)}/logs`]
  const { child, output } = startProcess(environment, 'serve', '--port', '0', '--dialect', 'ngrok', '--quiet', ...flags)
  onTestFinished(() => void child.kill())
  await waitUntil(() => output.stdout.includes('\n'))
  const [url] = /http:[^\s",]+/.exec(output.stdout) ?? []
  const headers = { authorization: 'Bearer k', 'ngrok-version': '2', 'content-type': 'application/json' }
  const create = async (path: string, body: object) =>
    (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  const { id } = Object(
    await create('/event_destinations', { format: 'json', target: { datadog: { api_key: 'a key' } } }),
  )
  await create('/event_subscriptions', { sources: [{ type: 'ip_policy_created.v0' }], destination_ids: [id] })
  await create('/ip_policies', {})
  await waitUntil(() => posted.length + received.length > 0)
  expect([posted, received]).toEqual([['POST /logs'], []])
})

// Node 20 does not know NODE_USE_ENV_PROXY.
test.each([
  ['clock', ['clock', '--url']],
  ['verify', ['verify', '--read-only', '--only', 'ip_policies', '--rate', '60000']],
])('With a proxy from the environment, %s reaches a server on this machine directly', async (_, args) => {
  const { received, environment } = await startProxy()
  const { url } = await startServer({}, '--dialect', 'ngrok', '--quiet')
  const { exited, output } = startProcess(environment, ...args, url)
  expect([await exited, received, output.stdout]).toEqual([0, [], expect.stringMatching(/\S/)])
})
