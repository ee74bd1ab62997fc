// Calls what the npm package ngrok has for the agent.
const assert = require('node:assert/strict')
const { dirname } = require('node:path')
const ngrok = require(process.env.PACKAGE)

const binPath = () => dirname(process.env.NGROK)

async function visit(url) {
  const body = JSON.stringify({ url })
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
  return (await (await fetch(`${process.env.FAUXGATE_URL}/_fauxgate/traffic`, init)).json()).status
}

async function main() {
  await ngrok.authtoken({ authtoken: 'any', binPath })
  const statuses = []
  const onStatusChange = (status) => statuses.push(status)
  const url = await ngrok.connect({ addr: 8000, binPath, onStatusChange })
  assert.match(url, /^https:/)
  // The package reads the status from the agent's log, which may come after the response.
  while (statuses.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(statuses, ['connected'])
  assert.match(await ngrok.connect({ proto: 'tcp', addr: 22, binPath }), /^tcp:/)
  const api = ngrok.getApi()
  const [{ name, public_url }] = (await api.listTunnels()).tunnels
  assert.equal(public_url, url)
  await assert.rejects(api.startTunnel({ addr: 80, name }), (error) => /already exists/.test(error.body.details.err))
  await assert.rejects(api.tunnelDetail('none'), { message: 'Resource not found' })

  assert.equal(await visit(`${url}/hook`), 200)
  assert.equal((await api.tunnelDetail(name)).metrics.http.count, 1)
  const [{ id }] = (await api.listRequests({ limit: 1, tunnel_name: name })).requests
  assert.equal((await api.requestDetail(id)).request.uri, '/hook')
  assert.equal(await api.replayRequest(id, name), true)
  assert.equal((await api.listRequests()).requests.length, 2)
  assert.equal(await api.deleteAllRequests(), true)

  await ngrok.disconnect(url)
  await assert.rejects(ngrok.disconnect(url), /no tunnel with url/)
  await ngrok.disconnect()
  assert.deepEqual((await api.listTunnels()).tunnels, [])
  await ngrok.kill()
}

main()
