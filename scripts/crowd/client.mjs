// Ngrok's official TypeScript client in many sandboxes at once, whose process is killed meanwhile: see scripts/crowd.mjs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ngrok } from '@ngrok/ngrok-api'

const { writes, sandboxes } = JSON.parse(readFileSync(process.argv[2], 'utf8'))

/** Asks again while nobody answers. What is refused is an error. */
async function until(ask) {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (error.errorCode !== undefined) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function used({ name, url, key }, foreign) {
  const client = new Ngrok({ apiToken: key, baseUrl: url })
  const made = []
  while (made.length < writes) {
    made.push((await until(() => client.reservedAddrs.create({ description: name }))).id)
    console.log('answered')
  }
  const listed = await until(() => client.reservedAddrs.list())
  const ids = listed.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  assert(made.every((id) => ids.includes(id)))
  assert(listed.every(({ description }) => description === name))
  const other = new Ngrok({ apiToken: key, baseUrl: foreign.url })
  await assert.rejects(
    until(() => other.reservedAddrs.list()),
    { errorCode: 'ERR_NGROK_203' },
  )
}

await Promise.all(sandboxes.map((each, n) => used(each, sandboxes[(n + 1) % sandboxes.length])))
console.log(`${sandboxes.length} sandboxes have what was answered and nothing else.`)
process.exit()
