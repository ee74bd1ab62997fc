// Jest: `survives` with crashes. What the program saves on its disk outlives them.
const { createNgrok } = require('fauxgate/ngrok')
const { survives } = require('fauxgate/testing')

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** Tries up to five times, with a pause before each new try. */
async function retry(work) {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === 5) throw error
      await new Promise((resolve) => setTimeout(resolve, tries * 1000))
    }
  }
}

/** Reserves a domain and saves its id. A second call after a crash finds what the first one has done. */
async function onboard({ fetch, url, disk, effect }) {
  if (disk.has('id')) return
  const send = async (method, body) => {
    const answer = await fetch(`${url}/reserved_domains`, { method, headers, body })
    if (!answer.ok) throw new Error(`${method} was answered with ${answer.status}`)
    return answer.json()
  }
  const { id } = await retry(async () => {
    const { reserved_domains } = await send('GET')
    const known = reserved_domains.find(({ domain }) => domain === 'app.example.com')
    return known ?? send('POST', '{"domain":"app.example.com"}')
  })
  await effect('save the id', () => disk.set('id', id))
}

test('a domain is reserved once, whatever fails and wherever the program crashes', async () => {
  const { summary } = await survives(onboard, {
    create: createNgrok,
    restart: true,
    holds: ({ gateway, disk }) => gateway.reservedDomains.get(disk.get('id')).domain === 'app.example.com',
  })
  expect(summary).toMatch(/; 0 fail$/)
}, 30_000)

test('two copies at once lose an update of a counter', async () => {
  const count = async ({ fetch, url }) => {
    const { reserved_addrs } = await (await fetch(`${url}/reserved_addrs`, { headers })).json()
    const [{ id, metadata }] = reserved_addrs
    const body = JSON.stringify({ metadata: String(Number(metadata) + 1) })
    await fetch(`${url}/reserved_addrs/${id}`, { method: 'PATCH', headers, body })
  }
  const setup = (gateway) => void gateway.reservedAddrs.create({ metadata: '0' })
  await expect(survives(count, { create: createNgrok, copies: 2, setup })).rejects.toMatchObject({ replay: 'A1 B A' })
}, 30_000)
