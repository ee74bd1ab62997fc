// Measures what observers cost a gateway: pages, a subscriber, and the remembered state of an undo. All take turns in one process.
import { once } from 'node:events'
import { get } from 'node:http'
import { createGateway, manualClock } from '../../dist/index.js'
import { serve } from '../../dist/node.js'
import { median, print } from './measure.mjs'

const DOMAINS = 10

/** The ways to move the clock of a gateway, each with what is wanted of its time, as a ratio to that of `nobody`. */
const WAYS = {
  nobody: { pages: 0 },
  'one page': { pages: 1, target: 1.1 },
  'ten pages': { pages: 10, target: 1.1 },
  'one subscriber': { pages: 0, subscribers: 1, target: 1.2 },
  'one subscriber that reads all': { pages: 0, subscribers: 1, reads: true },
  'an undo': { pages: 0, remember: true },
}

/** The ways of a move by a year, which takes four times as long. */
const YEAR = ['nobody', 'ten pages', 'one subscriber']

export async function benchWatched() {
  await benchMove({ name: '90 days', to: '2026-04-01T00:00:00Z', rounds: 11 }, Object.keys(WAYS))
  await benchMove({ name: 'a year', to: '2027-01-01T00:00:00Z', rounds: 7 }, YEAR)
}

async function benchMove({ name: move, to, rounds }, ways) {
  const times = Object.fromEntries(ways.map((name) => [name, []]))
  // The first round compiles the code.
  for (let round = 0; round <= rounds; round++) {
    for (const name of ways) {
      const ms = await moveClock(WAYS[name], to)
      if (round > 0) times[name].push(ms)
    }
  }
  const alone = median(times.nobody)
  print(`${move}, ${DOMAINS} failing domains, processor time, ms`, alone.toFixed(0))
  for (const name of ways) {
    const { target } = WAYS[name]
    if (name === 'nobody') continue
    const ratio = (median(times[name]) / alone).toFixed(2)
    print(`… with ${name}: ratio`, ratio, target ? `at most ${target}` : '')
  }
}

/** Moves the clock of a new served gateway. Returns the processor time of the process until its pages know. */
async function moveClock({ pages, subscribers = 0, reads = false, remember }, to) {
  const gateway = createGateway({ seed: 'bench', clock: manualClock('2026-01-01T00:00:00Z'), dns: 'simulated' })
  const policy = { authority: 'letsencrypt' }
  for (let number = 0; number < DOMAINS; number++) {
    gateway.reservedDomains.create({ domain: `d${number}.example.com`, certificate_management_policy: policy })
  }
  const seen = []
  if (subscribers > 0) gateway.subscribe((commit) => seen.push(reads ? commit.changes.length : 0))
  const server = await serve(gateway)
  const listeners = await Promise.all(Array.from({ length: pages }, () => listen(server.url)))
  const before = process.cpuUsage()
  const response = await fetch(`${server.url}/_fauxgate/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to, remember }),
  })
  if (response.status !== 200) throw new Error(`The move of the clock got ${response.status}: ${await response.text()}`)
  await Promise.all(listeners.map(({ changed }) => changed(to)))
  const { user, system } = process.cpuUsage(before)
  for (const { close } of listeners) close()
  await server.close()
  return (user + system) / 1000
}

/** Opens the events of a server. `changed` waits until an event says that the time is the new one. */
async function listen(url) {
  const request = get(`${url}/_fauxgate/events`)
  const [response] = await once(request, 'response')
  let text = ''
  response.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  while (!text.includes('event: overview')) await once(response, 'data')
  return {
    async changed(to) {
      while (!text.includes(`"now":"${to}"`)) await once(response, 'data')
    },
    close: () => response.destroy(),
  }
}
