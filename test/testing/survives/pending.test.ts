import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import type { Gateway } from '../../../src/index.ts'
import { serve } from '../../../src/server/node.ts'
import { type Life, type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { headers } from './programs/client.ts'

const send = async ({ url }: Life, method: string, path: string, body?: string) => {
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body }) })
  if (!response.ok) throw new Error(`${response.status}`)
  return response.status === 204 ? undefined : response.json()
}

const firstLine = async (code: (life: Life) => Promise<unknown>, options: SurvivesOptions = {}) => {
  const error = await expectSurvivalError(survives(code, { create: createNgrok, faults: 1, ...options }))
  return error.message.split('\n')[0]
}

test.each([
  ['', {}],
  [' over a socket', { serve }],
])('Code that does not await its last request%s fails without any failure', async (_name, options) => {
  const code = async (life: Life) => void send(life, 'GET', '/reserved_addrs').catch(() => undefined)
  expect(await firstLine(code, options)).toBe(
    'code fails without any fault: it has ended, but GET /reserved_addrs is still pending. Is an await missing?',
  )
})

test('Code that does not await its cleanup fails, although the cleanup succeeds', async () => {
  const code = async (life: Life) => {
    const { id } = await send(life, 'POST', '/reserved_addrs', '{}')
    try {
      await send(life, 'GET', `/reserved_addrs/${id}`)
    } catch (error) {
      void send(life, 'DELETE', `/reserved_addrs/${id}`).catch(() => undefined)
      throw error
    }
  }
  const error = await expectSurvivalError(survives(code, { create: createNgrok, faults: 1, kinds: ['5xx'] }))
  expect(error.groups.map(({ verdict }) => verdict)).toContain('work-after-end')
  expect(error.groups.map(({ message }) => message)).toContain(
    'it has ended, but DELETE /reserved_addrs/ra_a is still pending. Is an await missing?',
  )
})

test.each([
  ['', {}],
  [' over a socket', { serve }],
])('Code that does not await a cleanup that first looks%s fails', async (_name, options) => {
  const code = async (life: Life) => {
    const { id } = await send(life, 'POST', '/reserved_addrs', '{}')
    const cleanUp = async () => {
      await send(life, 'GET', '/reserved_addrs')
      await send(life, 'DELETE', `/reserved_addrs/${id}`)
    }
    try {
      await send(life, 'GET', `/reserved_addrs/${id}`)
    } catch (error) {
      void cleanUp().catch(() => undefined)
      throw error
    }
  }
  const search = survives(code, { create: createNgrok, faults: 1, kinds: ['5xx'], ...options })
  const { groups } = await expectSurvivalError(search)
  expect(groups.map(({ message }) => message)).toContain(
    'it has ended, but DELETE /reserved_addrs/ra_a is still pending. Is an await missing?',
  )
})

test('Code may reject while concurrent reads are pending', async () => {
  const code = (life: Life) =>
    Promise.all(['/reserved_addrs', '/reserved_domains'].map((path) => send(life, 'GET', path)))
  expect((await survives(code, { create: createNgrok, faults: 1 })).summary).toMatch(/; 0 fail$/)
})

test('Code may end while a request that it gave up is pending', async () => {
  const code = async (life: Life) => {
    const giveUp = new Promise((resolve) => setTimeout(resolve, 10_000))
    await Promise.race([send(life, 'PATCH', '/reserved_addrs/ra_1', '{}'), giveUp]).catch(() => undefined)
    await giveUp
  }
  expect((await survives(code, { create: createNgrok, faults: 1 })).summary).toMatch(/; 0 fail$/)
})

test('A copy that leaves its own resource after an error is no race', async () => {
  const code = async (life: Life) => {
    const { id } = await send(life, 'POST', '/reserved_addrs', '{}')
    await send(life, 'GET', `/reserved_addrs/${id}`)
  }
  expect(await firstLine(code, { kinds: ['5xx'], copies: 2 })).toMatch(
    /^Two concurrent copies fail: [AB] rejects with Error: 503, and leaves 1 reserved_addrs\.$/,
  )
})

test('A report separates what the code left behind from what setup had created', async () => {
  const code = async (life: Life) => {
    await send(life, 'POST', '/reserved_addrs', '{}')
    await send(life, 'GET', '/reserved_addrs')
  }
  const setup = (gateway: Gateway) => void gateway.reservedAddrs.create({ description: 'old' })
  const search = survives(code, { create: createNgrok, setup, faults: 1, kinds: ['429'] })
  const { message } = await expectSurvivalError(search)
  expect(message).toMatch(/in the end: it rejects with Error: 429; left behind: ra_a; already there: ra_b\n/)
})

test('The first line of a race names the copy and the beginning of its error', async () => {
  const reserve = async ({ url }: Life) => {
    const init = { method: 'POST', headers, body: '{"domain":"app.example.com"}' }
    const known = await (await fetch(`${url}/reserved_domains`, { headers })).json()
    if (known.reserved_domains.length > 0) return
    const response = await fetch(`${url}/reserved_domains`, init)
    if (response.ok) return
    const { error_code, msg } = await response.json()
    throw new Error(`${response.status} ${error_code}: ${msg}`)
  }
  expect(await firstLine(reserve, { faults: 0, copies: 2 })).toMatch(/: A rejects with Error: 400 ERR_NGROK_413: /)
})

/** Sends a request on its own connection, and gives up after 30 s. */
const sendAlone = (url: string, method = 'GET') =>
  new Promise<unknown>((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => resolve(text(response)))
    const timer = setTimeout(() => sent.destroy(new Error('No response for 30 s.')), 30_000)
    sent.once('close', () => clearTimeout(timer)).once('error', reject)
    sent.end(method === 'POST' ? '{}' : undefined)
  })

test('A connection that the client has given up does not hide the next request on its own connection', async () => {
  const code = async ({ url }: Life) => {
    try {
      await sendAlone(`${url}/reserved_addrs`)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await sendAlone(`${url}/reserved_addrs`)
    }
    await sendAlone(`${url}/reserved_addrs`, 'POST')
  }
  const { summary } = await survives(code, {
    create: createNgrok,
    serve,
    faults: 1,
    replay: 'GET /reserved_addrs#1 silent',
  })
  expect(summary).toContain('0 fail')
})
