// Measures shared sandboxes on plain workerd: `node tools/bench/sandbox.mjs [part …]`, after `npm run build`. Rounds
// alternate between a sandbox and the bare object of tools/bench/sandbox/bare.js. Needs Linux, and workerd of
// examples/sandbox.
import { installWorkerd } from '../../scripts/workerd.mjs'
import { compareServers, send } from './load.mjs'
import { cpuOf, format, median, print } from './measure.mjs'
import { measureDevelopers } from './sandbox/developers.mjs'
import { memoryOf, startWorker } from './sandbox/workerd.mjs'

const ROUNDS = 7
const CONNECTIONS = 20
const body = { description: 'SSH for device 1', metadata: '{"proto":"ssh"}' }

/** Returns the bytes of a request. */
function formatRequest(method, path, headers, sentBody) {
  const text = sentBody === undefined ? '' : JSON.stringify(sentBody)
  const allHeaders = {
    host: 'x',
    ...headers,
    ...(text && { 'content-type': 'application/json', 'content-length': text.length }),
  }
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}

const headersWith = (key) => ({ authorization: `Bearer ${key}`, 'service-version': '2' })

/** Creates a sandbox, and returns the headers of its clients. */
const createSandbox = async (served, name, options) => headersWith((await served.createWithKeys(name, options)).api_key)

/** Creates a record in each of `count` objects of a server. Returns the requests of each kind to these objects. */
async function prepareRequests(served, isBare, count) {
  const get = []
  const post = []
  await runConcurrently(count, async (n) => {
    const name = `object-${count}-${n}`
    const headers = isBare ? headersWith('any') : await createSandbox(served, name)
    const path = `/s/${name}/reserved_addrs`
    const created = await served.send('POST', path, { headers, body })
    get.push(formatRequest('GET', `${path}/${created.body.id}`, headers))
    post.push(formatRequest('POST', path, headers, body))
  })
  return { get, post }
}

/** Runs work `count` times, {@link CONNECTIONS} at once. In sequence, each run would wait for the disk alone. */
async function runConcurrently(count, work) {
  let started = 0
  const runNext = async () => {
    while (started < count) await work(started++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, runNext))
}

async function measureSpeed() {
  const servers = { bare: await startWorker('bare'), sandbox: await startWorker('worker') }
  const single = {
    bare: await prepareRequests(servers.bare, true, 1),
    sandbox: await prepareRequests(servers.sandbox, false, 1),
  }
  const hundred = {
    bare: await prepareRequests(servers.bare, true, 100),
    sandbox: await prepareRequests(servers.sandbox, false, 100),
  }
  for (const [name, requests, kind, count, target] of [
    ['GET', single, 'get', 2000, 'at least 0.80'],
    ['POST', single, 'post', 1000, 'at least 0.65'],
    ['POST over 100 objects', hundred, 'post', 1000, 'at least 0.85'],
  ]) {
    const competitors = Object.entries(servers).map(([server, served]) => {
      return [server, { port: served.port, cpu: () => cpuOf(served.process) * 1000, request: requests[server][kind] }]
    })
    const settings = { connections: CONNECTIONS, rounds: ROUNDS, count }
    const { bare, sandbox } = await compareServers(Object.fromEntries(competitors), settings)
    print(`${name}: sandbox, requests/s`, format(sandbox.rate))
    print(`${name}: ratio to a bare object`, (sandbox.rate / bare.rate).toFixed(2), target)
    print(`${name}: ratio of processor time per request`, (bare.cpu / sandbox.cpu).toFixed(2))
  }
  for (const each of Object.values(servers)) await each.stop()
}

/** Measures how much longer the first GET of a sandbox takes than the second, after a restart of the process. */
async function measureWake() {
  const served = await startWorker('worker', { MOST_RECORDS: '100000' })
  const initial = (count) => ({
    reservedAddrs: Array.from({ length: count }, (_, n) => ({ description: `address ${n}` })),
  })
  for (const [count, names, target] of [
    [10, 60, 'under 5'],
    [10_000, 10, 'under 50'],
  ]) {
    const created = []
    for (let n = 0; n <= names; n++) {
      const name = `asleep-${count}-${n}`
      created.push({ name, headers: await createSandbox(served, name, { clock: 'manual', initial: initial(count) }) })
    }
    await served.kill()
    await served.start()
    const get = ({ name, headers }) =>
      measureTime(() => served.send('GET', `/s/${name}/reserved_addrs?limit=1`, { headers }))
    // The first one compiles the code.
    await get(created.shift())
    const before = cpuOf(served.process)
    const first = []
    for (const each of created) first.push(await get(each))
    const between = cpuOf(served.process)
    const second = []
    for (const each of created) second.push(await get(each))
    const cpu = (between - before - (cpuOf(served.process) - between)) / names
    print(
      `wake-up and first GET with ${format(count)} resources, ms`,
      (median(first) - median(second)).toFixed(1),
      target,
    )
    print(`wake-up and first GET with ${format(count)} resources, processor time, ms`, cpu.toFixed(1))
  }
  await served.stop()
}

async function measureTime(work) {
  const startedAt = performance.now()
  const { status } = await work()
  if (status !== 200) throw new Error(`It answered ${status}.`)
  return performance.now() - startedAt
}

const AWAKE = 1000

/** Creates and uses a thousand objects in one process, and measures the memory per object while all are awake. */
async function measureMemory() {
  const memory = {}
  for (const name of ['bare', 'worker']) {
    const served = await startWorker(name)
    const startedAt = performance.now()
    const { get } = await prepareRequests(served, name === 'bare', AWAKE)
    print(`${name}: objects created and used`, format(get.length), format(AWAKE))
    print(`${name}: … seconds that took`, ((performance.now() - startedAt) / 1000).toFixed(1))
    // Garbage of their creation must not count.
    await served.kill()
    await served.start()
    const sendAll = (requests) =>
      send({ port: served.port, request: requests, connections: 50, count: requests.length })
    await sendAll(get.slice(0, 1))
    const before = memoryOf(served.process)
    for (let round = 0; round < 2; round++) await sendAll(get)
    memory[name] = (memoryOf(served.process) - before) / (AWAKE - 1) / 1024
    print(`${name}: memory of each, KB`, memory[name].toFixed(0))
    await served.stop()
  }
  print('memory above the bare object, KB', (memory.worker - memory.bare).toFixed(0), 'at most 64')
}

const MOVED = 9900

/** Measures how long ten others wait while sandboxes move thousands of domains each, which get and renew their certificates. */
async function measureMove() {
  const domain = (_, n) => ({
    domain: `app-${n}.example.com`,
    certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
  })
  const initial = { reservedDomains: Array.from({ length: MOVED }, domain) }
  for (const [movers, advance] of [
    [1, '365d'],
    [4, '60d'],
    [12, '60d'],
  ]) {
    const served = await startWorker('worker')
    const keys = []
    for (let n = 0; n < movers; n++)
      keys.push(await served.createWithKeys(`moved-${n}`, { clock: 'manual', start: '2026-01-01T00:00:00Z', initial }))
    // The first request of a sandbox writes its resources.
    for (const [n, { control_key }] of keys.entries())
      await served.send('GET', `/s/moved-${n}/_fauxgate/state`, { headers: { 'fauxgate-control-key': control_key } })
    const others = []
    for (let n = 0; n < 10; n++) others.push([`other-${n}`, await createSandbox(served, `other-${n}`)])
    const get = ([name, headers]) =>
      measureTime(() => served.send('GET', `/s/${name}/reserved_addrs?limit=1`, { headers }))
    /** Lets the others call, one after another, until `isOver`. Returns their times in ms, shortest first. */
    const callUntil = async (isOver) => {
      const times = []
      for (let n = 0; !isOver(times); n++) times.push(await get(others[n % others.length]))
      return times.sort((a, b) => a - b)
    }
    const p99 = (times) => times[Math.floor(times.length * 0.99)]
    const quiet = p99(await callUntil(({ length }) => length === 1000))
    const statuses = []
    const startedAt = performance.now()
    for (const [n, { control_key }] of keys.entries()) {
      const headers = { 'fauxgate-control-key': control_key }
      const sent = served.send('POST', `/s/moved-${n}/_fauxgate/clock`, { headers, body: { advance } })
      sent.then(({ status }) => statuses.push(status))
    }
    const during = await callUntil(() => statuses.length === movers)
    const what = `${movers} × ${format(MOVED)} domains moved by ${advance}`
    print(`${what}: s`, ((performance.now() - startedAt) / 1000).toFixed(1))
    print(`${what}: statuses`, [...new Set(statuses)].join(', '), '200')
    print(`${what}: p99 of others, quiet, ms`, quiet.toFixed(1))
    print(`${what}: p99 of ${format(during.length)} calls of others during it, ms`, p99(during).toFixed(1))
    print(`${what}: the longest call of others, ms`, during.at(-1).toFixed(0))
    print(`${what}: ratio of the p99`, (p99(during) / quiet).toFixed(1), 'at most 10')
    await served.stop()
  }
}

const PARTS = {
  speed: measureSpeed,
  wake: measureWake,
  many: measureMemory,
  move: measureMove,
  developers: measureDevelopers,
}
const parts = process.argv.slice(2)
if (installWorkerd('all measurements'))
  for (const part of parts.length > 0 ? parts : Object.keys(PARTS)) await PARTS[part]()
