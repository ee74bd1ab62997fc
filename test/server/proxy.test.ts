import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { startProcess, startServer } from '../support/command.ts'
import { listen } from '../support/serve.ts'

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
  return { received, environment: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address } }
}

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
