// vitest: `survives` tries every failure, and every pair of failures, at every request of a function.
import { createNgrok } from 'fauxgate/ngrok'
import { survives } from 'fauxgate/testing'
import { expect, test } from 'vitest'

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

async function send(url: string, method: string, body?: string) {
  const response = await fetch(`${url}/reserved_addrs`, { method, headers, ...(body && { body }) })
  if (!response.ok) throw new Error(`${method} got ${response.status}`)
  return response.json()
}

/** Tries up to five times, with a pause before each new try. */
async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === 5) throw error
      await new Promise((resolve) => setTimeout(resolve, tries * 1000))
    }
  }
}

/** Looks for the address before each try, because a lost response may have been a success. */
function reserve(url: string) {
  return retry(async () => {
    const { reserved_addrs } = await send(url, 'GET')
    const known = reserved_addrs.find(({ description }: { description?: string }) => description === 'app')
    return known ?? send(url, 'POST', '{"description":"app"}')
  })
}

/** Reserves an address without looking for it first. */
function reserveBlindly(url: string) {
  return retry(() => send(url, 'POST', '{"description":"app"}'))
}

test('one address is reserved, whatever fails', async () => {
  const { summary } = await survives(({ url }) => reserve(url), { create: createNgrok })
  expect(summary).toMatch(/with up to 2 faults; 0 fail$/)
})

test('without the look, a lost response leads to a second address', async () => {
  await expect(survives(({ url }) => reserveBlindly(url), { create: createNgrok })).rejects.toMatchObject({
    message: expect.stringContaining('2 reserved_addrs, expected 1'),
    replay: 'POST /reserved_addrs#1 lost-after',
  })
})

test('two copies at once reserve two addresses, since the look of one comes before the creation of the other', async () => {
  const code = async ({ url }: { url: string }) => {
    const { reserved_addrs } = await send(url, 'GET')
    if (reserved_addrs.length === 0) await send(url, 'POST', '{"description":"app"}')
  }
  await expect(survives(code, { create: createNgrok, copies: 2 })).rejects.toMatchObject({ replay: 'A1 B A' })
})
