// Ngrok's official TypeScript client on both sides of a restart: see scripts/restart.mjs.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Ngrok } from '@ngrok/ngrok-api'

const client = new Ngrok({ apiToken: 'any key', baseUrl: process.argv[2] })
const made = []
for (let n = 0; n < 120; n++) made.push((await client.reservedAddrs.create({ description: `typescript ${n}` })).id)
const certificateManagementPolicy = { authority: 'letsencrypt', privateKeyType: 'ecdsa' }
const domain = await client.reservedDomains.create({ domain: 'typescript.example.com', certificateManagementPolicy })
console.log('middle')
await once(process.stdin, 'data')
const listed = new Set((await client.reservedAddrs.list()).map(({ id }) => id))
assert(made.every((id) => listed.has(id)))
assert.equal((await client.reservedDomains.get(domain.id)).domain, 'typescript.example.com')
await client.reservedAddrs.update({ id: made[0], description: 'after' })
assert.equal((await client.reservedAddrs.get(made[0])).description, 'after')
await client.reservedAddrs.delete(made[1])
await assert.rejects(client.reservedDomains.create({ domain: 'typescript.example.com' }), {
  errorCode: 'ERR_NGROK_413',
})
console.log('end')
process.exit()
