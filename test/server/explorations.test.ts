import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../src/core/engine/clock.ts'
import { explore, type Program, type Send, startControls } from '../support/exploration.ts'

/** Tries something again after an error, up to three times. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === 3) throw error
    }
  }
}

const create = (send: Send) => send('POST', '/reserved_addrs', { description: 'app' })

const createOnce = (send: Send) =>
  again(async () => {
    const { reserved_addrs: found = [] } = await send('GET', '/reserved_addrs')
    if ((found as readonly object[]).length === 0) await create(send)
  })

test('an exploration finds the failure that breaks a program, and tells the smallest story', async () => {
  const twice: Program = async (send) => void (await again(() => create(send)))
  const { survives, report, replay } = await explore(twice, { name: 'onboard', replayCall: 'try(REPLAY)' })
  expect(survives).toBe(false)
  expect(replay).toBe('POST /reserved_addrs#1 lost-after')
  expect(report).toMatch(
    `onboard does not survive one fault: 2 reserved_addrs, expected 1.

      0s  POST /reserved_addrs {"description":"app"} ✗ done, but the response is lost (ra_a)
      0s  POST /reserved_addrs {"description":"app"} → 201 (ra_b)
  in the end: it resolves; left behind: ra_a, ra_b
  The smallest of 4 failing schedules; all 8 with one fault were tried.
  Replay: try("POST /reserved_addrs#1 lost-after")`,
  )
})

test('a program that looks before each try survives all pairs of failures, however many runs are made at once', async () => {
  for (const jobs of [1, 16]) {
    const { report } = await explore((send) => createOnce(send), {
      faults: 2,
      kinds: ['lost', '5xx', '429', 'cut'],
      jobs,
    })
    expect(report).toBe('92 of 92 schedules with up to 2 faults; 0 fail')
  }
})

test('schedules with a silence start first, two for each job, and the others run while they wait', async () => {
  const ends = new AbortController()
  const silentRuns: number[] = []
  let finished = 0
  const program: Program = async (_send, { url, run }) => {
    const send = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
      const sent = fetch(`${url}${path}`, { headers, signal: ends.signal, ...init })
      const response = await sent.catch(() => void silentRuns.push(run))
      // The silent requests end once the four schedules with a 503 have run, and not before.
      if (response?.status === 503 && ++finished === 4) ends.abort()
      await response?.text()
    }
    await send('/reserved_addrs')
    await send('/reserved_addrs', { method: 'POST', body: '{}' })
    await send('/reserved_addrs?limit=1')
  }
  await explore(program, { kinds: ['5xx', 'silent'], silence: 60, jobs: 2 })
  expect([...new Set(silentRuns)].slice(0, 4).sort()).toEqual([3, 4, 5, 6])
  expect(finished).toBe(4)
})

/** Polls a new domain until it has a certificate. */
const poll: Program = async (send) => {
  const policy = { certificate_management_policy: { authority: 'letsencrypt' } }
  const { id } = await send('POST', '/reserved_domains', { domain: 'app.example.com', ...policy })
  for (let polls = 0; polls < 50; polls++) {
    const { certificate } = await again(() => send('GET', `/reserved_domains/${id}`))
    if (certificate) return
  }
  throw new Error('no certificate')
}

test('a poll moves the clock of its run to the next event, and a silence past its end: a story says so', async () => {
  const { report } = await explore(poll, { kinds: ['silent', 'outcomes'], mayLeave: ['tls_certificates'] })
  expect(report).toMatch(/POST \/reserved_domains .*✗ done, but no response/)
  expect(report).toMatch(
    "The code runs in real time; the gateway's clock advanced past a silence that really took 0.02s.",
  )
  const survived = await explore(poll, { kinds: ['outcomes'] })
  expect(survived.report).toMatch(/^\d+ of \d+ schedules with up to 1 fault; 0 fail$/)
})

test('a story says that the clock advanced at polls', async () => {
  const rejecting: Program = (send, step) => poll(send, step).then(() => Promise.reject(new Error('no quota')))
  const { report } = await explore(rejecting, {})
  expect(report).toMatch("The code runs in real time; the gateway's clock advanced at a poll to the next event.")
})

test('a program to which no failure applies is told about its settings, in its language, and not about effects', async () => {
  const { report } = await explore(async (send) => void (await create(send)), { kinds: ['outcomes'], for: 'go' })
  expect(report).toMatch(/^No failure applies .* Requests fail only in the ways listed in `Kinds` and `Also`\.$/)
})

test('a silence takes two real seconds by default', async () => {
  const { waitUntil } = systemClock
  const isOfSilence = (at: number) => Math.round((at - Date.now()) / 1000) === 2
  const wait = vi
    .spyOn(systemClock, 'waitUntil')
    .mockImplementation(async (at, ...others) => (isOfSilence(at) ? undefined : waitUntil?.(at, ...others)))
  onTestFinished(() => wait.mockRestore())
  const { report } = await explore(poll, { kinds: ['silent'], mayLeave: ['tls_certificates'], silence: undefined })
  expect(report).toMatch("the gateway's clock advanced past a silence that really took 2s.")
})

test('a program that fails because it calls another URL is told which URL to call', async () => {
  const { report } = await explore(() => Promise.reject(new Error('connection refused')), {})
  expect(report).toMatch(/fails without any fault: it rejects with Error: connection refused/)
  expect(report).toMatch('The gateway received no request. The code must call the URL')
})

test('a crash kills the program after a request, and starts it again on the same gateway', async () => {
  const { report } = await explore(async (send) => void (await create(send)), { restart: true, kinds: ['crash'] })
  expect(report).toMatch('the code crashes before the response')
  expect(report).toMatch('the code starts again')
  const { survives } = await explore((send) => createOnce(send), { restart: true, kinds: ['crash'] })
  expect(survives).toBe(true)
})

test('copies run at once, and an order in which they end otherwise than one after the other is a failure', async () => {
  const { report, replay } = await explore((send) => createOnce(send), { copies: 2 })
  expect(report).toMatch(
    'Two concurrent copies end differently than copies that run one after the other: 2 reserved_addrs, expected 1.',
  )
  expect(replay).toBe('A1 B A')
  const { survives } = await explore(
    async (send, { copy }) => void (await send('POST', '/reserved_domains', { domain: `${copy}.example.com` })),
    { copies: 2 },
  )
  expect(survives).toBe(true)
})

test('the setup prepares the gateway of each run, and what it creates is not left by the program', async () => {
  const { report } = await explore(
    (send) => createOnce(send),
    { setup: true },
    async (send) => void (await create(send)),
  )
  expect(report).toBe('5 of 5 schedules with up to 1 fault; 0 fail')
  const failed = await explore(
    (send) => createOnce(send),
    { setup: true },
    () => Promise.reject(new Error('no database')),
  )
  expect(failed).toMatchObject({ survives: false, report: 'The setup of run 1 failed: Error: no database' })
})

test('an error must match `allow`, and after an error with `mayLeave` the program is called again', async () => {
  const { report } = await explore((send) => send('GET', '/reserved_addrs').then(), {
    kinds: ['5xx'],
    allow: 'status 429',
  })
  expect(report).toMatch('which `allow` does not accept')
  const resumed = await explore((send) => createOnce(send), { faults: 2, kinds: ['5xx'], mayLeave: ['reserved_addrs'] })
  expect(resumed.survives).toBe(true)
})

test.each([
  ['javascript', '`allow`'],
  ['python', '`allow`'],
  ['go', '`Allow`'],
  ['shell', '--allow'],
] as const)('a report for %s names a setting as %s, even if the program has a long name', async (language, name) => {
  const settings = { kinds: ['5xx'], allow: 'status 429', for: language, name: 'program '.repeat(30) }
  const { report } = await explore((send) => send('GET', '/reserved_addrs').then(), settings)
  expect(report?.split('\n')[0]).toMatch(`which ${name} does not accept.`)
})

test('a program that never ends is killed after the real time that `timeout` allows', async () => {
  const { report } = await explore(
    async (send) => {
      await create(send)
      await new Promise(() => undefined)
    },
    { timeout: 0.2 },
  )
  expect(report).toMatch('never ends: it takes more real time than `timeout` allows')
})

test('after a setup with a fault that persists, an endless retry never ends, and code that gives up rejects', async () => {
  const endless: Program = async (send) => {
    for (;;) {
      const error = await create(send).catch(String)
      if (error === 'Error: killed') throw new Error(error)
    }
  }
  const prepare: Program = (send) =>
    send('POST', '/_fauxgate/faults', { operation: 'reserved_addrs.create', status: 503 }).then()
  expect((await explore(endless, { setup: true, timeout: 0.2 }, prepare)).report).toMatch(
    'never ends: it takes more real time than `timeout`',
  )
  const limited: Program = async (send) => void (await again(() => create(send)))
  expect((await explore(limited, { setup: true }, prepare)).report).toMatch('it rejects with Error: status 503')
})

test('a client is told to wait for a second at most, since its time is real', async () => {
  const waits: (string | null)[] = []
  const limited: Program = async (_send, { url }) => {
    const response = await fetch(`${url}/reserved_addrs`, {
      headers: { authorization: 'Bearer key', 'ngrok-version': '2' },
    })
    waits.push(response.headers.get('retry-after'))
  }
  const prepare: Program = async (_send, { url }) => {
    const body = JSON.stringify({ status: 429, retryAfter: '30s', times: 1 })
    await fetch(`${url}/_fauxgate/faults`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }
  await explore(limited, { setup: true, kinds: ['lost'] }, prepare)
  expect(waits[0]).toBe('1')
})

test('settings that are not allowed start no exploration, and an error tells which ones are allowed', async () => {
  const control = await startControls()
  for (const [settings, words, code] of [
    [{ faults: 9 }, 'faults', 'ERR_NGROK_90466'],
    [{ copies: 2, mayLeave: [] }, 'mayLeave', 'ERR_NGROK_90466'],
    [{ mayLeave: ['reserved_addr'] }, 'mayLeave contains "reserved_addr", which is not a family', 'ERR_NGROK_90466'],
    [{ ignore: ['reserved_addr'] }, 'ignore contains "reserved_addr", but there is no family', 'ERR_NGROK_90466'],
    [{ replay: 'POST' }, 'replay is "POST"', 'ERR_NGROK_90466'],
    [{ max: 0 }, 'max is 0', 'ERR_NGROK_215'],
    [{ kinds: ['rust'] }, 'kinds.0 is "rust"', 'ERR_NGROK_215'],
    [{ also: ['clock'] }, 'also.0 is "clock"', 'ERR_NGROK_215'],
    [{ within: '6' }, 'within is "6"', 'ERR_NGROK_215'],
    [{ silence: 0 }, 'silence is 0', 'ERR_NGROK_215'],
    [{ allow: '(' }, 'allow is "("', 'ERR_NGROK_215'],
  ] as const) {
    const { status, body } = await control('POST', '/explorations', settings)
    expect([status, body.error_code]).toEqual([400, code])
    expect(body.msg).toMatch(words)
  }
})

test('an exploration is not found after its last step, and a call that ends later is no error', async () => {
  const control = await startControls()
  const { id } = (await control('POST', '/explorations', {})).body
  const next = async () => (await control('POST', '/explorations/next', { id })).body
  const report = async ({ run, copy, life }: { run: number; copy: string; life: number }) =>
    control('POST', '/explorations/ended', { id, run, copy, life, error: 'no connection' })
  const first = await next()
  await report(first)
  for (let step = await next(); step.do !== 'finish'; step = await next()) await report(step)
  expect((await next()).error_code).toBe('ERR_NGROK_90465')
  expect((await report(first)).status).toBe(204)
})

test('the deletion of a gateway ends its explorations and the gateways of their runs', async () => {
  const control = await startControls()
  const { name, url } = (await control('POST', '/gateways', {})).body
  const ask = async (path: string, body: object) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await fetch(`${url}/_fauxgate${path}`, init)
    return response.json()
  }
  const { id } = await ask('/explorations', {})
  const { url: runUrl } = await ask('/explorations/next', { id })
  const read = async () => (await fetch(`${runUrl}/_fauxgate/clock`)).status
  expect(await read()).toBe(200)
  await control('DELETE', `/gateways?name=${name}`)
  expect(await read()).toBe(404)
})
