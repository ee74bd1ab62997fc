// Ngrok's official TypeScript client while the server is killed again and again: see scripts/endurance.mjs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ngrok } from '@ngrok/ngrok-api'

const { writes, places } = JSON.parse(readFileSync(process.argv[2], 'utf8'))

/** Repeats a call while nobody answers. A refusal is an error. */
async function answered(call) {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (error.errorCode !== undefined) throw error
      await sleep(50)
    }
  }
}

async function use({ name, url, key }, other) {
  const client = new Ngrok({ apiToken: key, baseUrl: url })
  const made = []
  while (made.length < writes) {
    made.push((await answered(() => client.reservedAddrs.create({ description: name }))).id)
    console.log('answered')
    await sleep(20)
  }
  const listed = await answered(() => client.reservedAddrs.list())
  const ids = new Set(listed.map(({ id }) => id))
  assert.equal(ids.size, listed.length)
  assert(made.every((id) => ids.has(id)))
  if (other === undefined) return
  assert(listed.every(({ description }) => description === name))
  const stranger = new Ngrok({ apiToken: key, baseUrl: other.url })
  const refused = answered(() => stranger.reservedAddrs.list())
  await assert.rejects(refused, { errorCode: 'ERR_GATEWAY_90606' })
}

const next = (n) => (places.length > 1 ? places[(n + 1) % places.length] : undefined)
await Promise.all(places.map((place, n) => use(place, next(n))))
process.exit()
