// A week of many developers, shortened: they call their sandboxes, the process is killed again and again, one sandbox makes
// a long move of its clock, one key leaks, some clients leave early, and at the end the backup moves to another machine.
import { setTimeout as sleep } from 'node:timers/promises'
import { format, print } from '../measure.mjs'
import { startWorker } from './workerd.mjs'

const { DEVELOPERS = '500', SECONDS = '60', KILLS = '3' } = process.env
const [developers, seconds, kills] = [DEVELOPERS, SECONDS, KILLS].map(Number)

/** The number of calls under way at a time. */
const CLIENTS = 20

const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
const managed = (domain) => ({ domain, certificate_management_policy: policy })

/** The sandbox of a developer, and the ids of the records whose creation was answered. */
class Developer {
  ids = []
  /** The creations without a response, which may have happened. */
  unanswered = 0

  constructor({ name, api_key, control_key }) {
    this.name = name
    this.api = { authorization: `Bearer ${api_key}`, 'service-version': '2' }
    this.control = { 'fauxgate-control-key': control_key }
  }

  send(served, method, path, body) {
    const headers = path.startsWith('/_fauxgate') ? this.control : this.api
    return served.send(method, `/s/${this.name}${path}`, { headers, body })
  }

  async create(served) {
    this.unanswered++
    const { status, body } = await this.send(served, 'POST', '/reserved_addrs', { description: this.name })
    if (status !== 201) return status
    this.unanswered--
    this.ids.push(body.id)
    return status
  }

  /** Returns how many answered records are missing, and how many others there are that cannot be. */
  async compare(served) {
    const known = [...this.ids]
    const listed = []
    for (let next = `/s/${this.name}/reserved_addrs?limit=100`; next; ) {
      const { status, body } = await served.send('GET', next, { headers: this.api })
      if (status !== 200) return { status, lost: known.length, wrong: 0 }
      listed.push(...body.reserved_addrs)
      next = body.next_page_uri && new URL(body.next_page_uri).pathname + new URL(body.next_page_uri).search
    }
    const ids = new Set(listed.map(({ id }) => id))
    const foreign = listed.filter(({ description }) => description !== this.name).length
    const surplus = Math.max(0, ids.size - this.ids.length - this.unanswered)
    return { status: 200, lost: known.filter((id) => !ids.has(id)).length, wrong: foreign + surplus }
  }
}

/** The calls of a developer, each with the status that it must have. */
const CALLS = [
  [201, (served, one) => one.create(served)],
  [200, async (served, one, _, totals) => addTo(totals, await one.compare(served))],
  [200, (served, one) => one.send(served, 'POST', '/_fauxgate/clock', { advance: '1d' }).then(statusOf)],
  [200, (served, one) => one.send(served, 'GET', '/_fauxgate/report').then(statusOf)],
  [200, (served, one) => one.send(served, 'POST', '/_fauxgate/policy/check', { policy: '{}' }).then(statusOf)],
  [
    401,
    (served, one, other) => served.send('GET', `/s/${one.name}/reserved_addrs`, { headers: other.api }).then(statusOf),
  ],
  [401, (served, one) => served.send('GET', '/s', { headers: { 'fauxgate-account-key': one.name } }).then(statusOf)],
]

const statusOf = ({ status }) => status

function addTo(totals, { status, lost, wrong }) {
  totals.lost += lost
  totals.wrong += wrong
  return status
}

/** Runs work for each of some values, {@link CLIENTS} at a time. */
async function forEach(values, work) {
  const rest = values.values()
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const each of rest) await work(each)
    }),
  )
}

export async function measureDevelopers() {
  const served = await startWorker('worker')
  const totals = { lost: 0, wrong: 0, calls: 0, repeated: 0 }
  const times = []
  const unexpected = {}
  const all = []
  const startedAt = performance.now()
  await forEach(
    Array.from({ length: developers }, (_, n) => `dev-${n}`),
    async (name) => {
      const options = {
        clock: 'manual',
        start: '2026-01-01T00:00:00Z',
        initial: { reservedDomains: [managed('a.example.com')] },
      }
      all.push(new Developer(await served.createWithKeys(name, options)))
    },
  )
  print(`${format(developers)} sandboxes created, s`, ((performance.now() - startedAt) / 1000).toFixed(1))
  const leaked = new Developer(await served.createWithKeys('leaked'))
  const reservedDomains = Array.from({ length: 9900 }, (_, n) => managed(`d${n}.example.com`))
  const large = new Developer(await served.createWithKeys('large', { clock: 'manual', initial: { reservedDomains } }))

  let generation = 0
  let isOver = false
  const callOften = async () => {
    while (!isOver) {
      const [one, other] = [pick(all), pick(all)]
      const [n, [wanted, call]] = pick([...CALLS.entries()])
      if (one === other) continue
      const begun = generation
      const from = performance.now()
      const status = await call(served, one, other, totals).catch(() => undefined)
      if (status === undefined) {
        // Nobody answers while the process starts.
        totals.repeated++
        await sleep(20)
        continue
      }
      totals.calls++
      if (begun === generation) times.push(performance.now() - from)
      // A wrong account key may also be slowed down.
      if (status !== wanted && !(n === CALLS.length - 1 && status === 429)) {
        const what = `call ${n}: ${status}`
        unexpected[what] = (unexpected[what] ?? 0) + 1
      }
    }
  }
  const leaveEarly = async () => {
    while (!isOver) {
      const one = pick(all)
      const signal = AbortSignal.timeout(Math.ceil(Math.random() * 10))
      const init = { method: 'POST', headers: { ...one.api, 'content-type': 'application/json' }, signal }
      one.unanswered++
      await fetch(`${served.url}/s/${one.name}/reserved_addrs`, {
        ...init,
        body: JSON.stringify({ description: one.name }),
      })
        .then((response) => response.text())
        .catch(() => undefined)
      await sleep(100)
    }
  }
  const moveStatuses = []
  const moveFar = async () => {
    while (!isOver) {
      const moved = await large.send(served, 'POST', '/_fauxgate/clock', { advance: '365d' }).catch(() => undefined)
      if (moved) moveStatuses.push(moved.status)
      else await sleep(20)
    }
  }
  const work = [...Array.from({ length: CLIENTS }, callOften), leaveEarly(), moveFar()]
  for (let kill = 0; kill <= kills; kill++) {
    await sleep((seconds * 1000) / (kills + 1))
    if (kill === kills) break
    generation++
    await served.kill()
    await served.start()
    generation++
  }
  // A key has leaked: its holder is locked out at once.
  await leaked.create(served)
  const renewed = await served.callAccount('POST', `/s/${leaked.name}/keys`, {})
  const afterLeak = await served.send('GET', `/s/${leaked.name}/reserved_addrs`, { headers: leaked.api })
  isOver = true
  await Promise.all(work)
  all.push(Object.assign(new Developer({ name: leaked.name, ...renewed.body }), { ids: leaked.ids }))

  times.sort((a, b) => a - b)
  print('calls answered', format(totals.calls))
  print(`calls without a response, around ${kills} kills`, format(totals.repeated))
  print('unexpected statuses', JSON.stringify(unexpected), '{}')
  print('a leaked key after its renewal', String(afterLeak.status), '401')
  print('moves of 9,900 domains by a year, statuses', JSON.stringify(moveStatuses), '200')
  print('p99 of all calls, ms', times[Math.floor(times.length * 0.99)]?.toFixed(1))
  print('the longest call, ms', times.at(-1)?.toFixed(0))
  await moveBackup(served, all, totals)
  print('answered records lost', String(totals.lost), '0')
  print('records of others or revived', String(totals.wrong), '0')
}

/** Restores the backup of a server on a new one, and compares each sandbox there. */
async function moveBackup(served, all, totals) {
  const from = performance.now()
  const archive = await served.callAccount('GET', '/backup')
  const next = await startWorker('worker')
  const headers = { 'fauxgate-account-key': 'the key of the account' }
  const restored = await next.send('POST', '/restore', { headers, body: archive.text })
  print('backup on a new machine, s', ((performance.now() - from) / 1000).toFixed(1))
  print('backup, MB', (archive.text.length / 1e6).toFixed(1))
  print('sandboxes restored', String(restored.body.restored ?? restored.text), format(all.length + 1))
  for (const each of [served, next]) await forEach(all, async (one) => void addTo(totals, await one.compare(each)))
  for (const each of [served, next]) await each.stop()
}

const pick = (values) => values[Math.floor(Math.random() * values.length)]
