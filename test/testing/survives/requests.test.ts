import { afterEach, describe, expect, it, vi } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { serve } from '../../../src/server/node.ts'
import { type CodeUnderTest, type Life, type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { headers } from './programs/client.ts'

afterEach(() => void vi.restoreAllMocks())

const get = (url: string) => fetch(`${url}/reserved_addrs`, { headers })
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const findMessage = (code: CodeUnderTest, options?: SurvivesOptions) =>
  survives(code, options).then(
    ({ summary }) => summary,
    (error: Error) => error.message,
  )

describe('Code that polls', () => {
  it('without end is told how many requests it sent, which one it repeated, and what it got', async () => {
    const code = async ({ url }: Life) => {
      await fetch(`${url}/reserved_domains`, { headers })
      for (;;) {
        await get(url)
        await sleep(60_000)
      }
    }
    expect(await findMessage(code)).toContain(
      'it takes longer than 6h, the maximum that `within` allows; it sent 362 requests, 361 times GET /reserved_addrs → 200.',
    )
  })

  it('is told these numbers in full below the story, if they do not fit into the first line', async () => {
    async function pollAnEndpointUntilItsCertificateIsThere({ url }: Life) {
      for (;;) {
        await fetch(`${url}/reserved_addrs?limit=100`, { headers })
        await sleep(60_000)
      }
    }
    const [first, ...rest] = (await findMessage(pollAnEndpointUntilItsCertificateIsThere)).split('\n')
    expect(first).toMatch(/never ends: it takes longer than 6h, the maximum that `within` allows; …$/)
    expect(rest.find((line) => line.startsWith('  In full: '))).toContain(
      'allows; it sent 361 requests, 361 times GET /reserved_addrs?limit=100 → 200.',
    )
  })

  it('thousands of times in each run prints a warning after the first run, because a runner may end the test soon', async () => {
    let runs = 0
    const runsBefore: number[] = []
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => void runsBefore.push(runs))
    const code = async ({ url }: Life) => {
      runs++
      for (let polls = 0; polls < 1000; polls++) {
        await get(url)
        await sleep(5)
      }
    }
    await survives(code, { faults: 1, kinds: ['429'], budget: 1 })
    const [[text] = []] = warn.mock.calls
    expect(text).toMatch(
      /^Without failures, the code sends 1,000 requests, 1,000 times GET \/reserved_addrs → 200\. Each/,
    )
    expect(runsBefore).toEqual([1])
  })
})

describe('Code that calls another server than the gateway', () => {
  it('which was closed, is asked about that', async () => {
    const { url, close } = await serve(createNgrok())
    await close()
    const closed = `The gateway received no request. The code called ${url}, where nothing is listening. Was that server closed? Let`
    expect(await findMessage(() => get(url))).toContain(closed)
    const retrying = async (): Promise<unknown> => get(url).catch(() => sleep(3_600_000).then(retrying))
    expect(await findMessage(retrying)).toContain(closed)
  })

  it('and aborts that request with null as the reason, has no unhandled rejection', async () => {
    const code = async ({ url }: Life) => {
      await fetch('http://127.0.0.1:1', { signal: AbortSignal.abort(null) }).catch(() => undefined)
      await get(url)
    }
    expect(await findMessage(code, { faults: 1, kinds: ['429'], allow: () => true })).toMatch(/; 0 fail$/)
  })

  it('is told its URL', async () => {
    const { url, close } = await serve(createNgrok())
    const message = await findMessage(() => get(url))
    await close()
    expect(message).toContain(`so nothing can fail. The code called ${url} instead. Let it use`)
  })
})

describe('Code that fails without any fault', () => {
  it('is not told that nothing had failed', async () => {
    const message = await findMessage(async ({ url }) => {
      await get(url)
      throw new Error('It broke.')
    })
    expect(message).toMatch(/^The code fails without any fault: it rejects with Error: It broke\.\n/)
  })
})
