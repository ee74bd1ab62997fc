import { expect, test, vi } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import {
  type CodeUnderTest,
  type Life,
  type OptInFaultKind,
  type SurvivesOptions,
  schedules,
  survives,
} from '../../src/testing/testing.ts'
import { CLOCK_START } from '../support/clock.ts'
import { expectSurvivalError } from './survives/failure.ts'
import { createCall, ensureAddress, retry, sleep } from './survives/programs/client.ts'
import { certificate, crash } from './survives/programs/six.ts'

/** Creates an address again when the response is lost. */
async function createBlindly(life: Pick<Life, 'fetch' | 'url'>) {
  return retry(() => createCall(life)('POST', '/reserved_addrs', { description: 'app' }))
}

/** Creates an address, and looks for it before each try. */
async function createIfMissing(life: Life) {
  return ensureAddress(createCall(life), 'app')
}

test('a retry without a look-up leaves two resources after one lost response, and the error tells the story', async () => {
  const error = await expectSurvivalError(survives(createBlindly))
  expect(error.message).toBe(
    [
      'createBlindly does not survive one fault: 2 reserved_addrs, expected 1.',
      '',
      '      0s  POST /reserved_addrs {"description":"app"} ✗ done, but the response is lost (ra_a)',
      '      1s  POST /reserved_addrs {"description":"app"} → 201 (ra_b)',
      '  in the end: it resolves; left behind: ra_a, ra_b',
      '  The smallest of 4 failing schedules; all 8 with one fault were tried.',
      "  Replay: survives(code, { replay: 'POST /reserved_addrs#1 lost-after' })",
    ].join('\n'),
  )
  expect(error.schedule).toEqual([{ at: 'POST /reserved_addrs', nth: 1, fault: 'lost-after' }])
  expect(error.groups).toMatchObject([{ verdict: 'other-leftovers', count: 4 }])
})

test('a retry that looks first survives all pairs of failures', async () => {
  const { summary, isComplete, coverage } = await survives(createIfMissing)
  expect(summary).toBe('150 of 150 schedules with up to 2 faults; 0 fail')
  expect(isComplete).toBe(true)
  expect(coverage.map(({ at }) => at)).toEqual(['GET /reserved_addrs', 'POST /reserved_addrs'])
})

test('a crash between creating and saving is found', async () => {
  const error = await expectSurvivalError(survives(crash(false), { kinds: ['crash'], restart: true }))
  expect(error.replay).toBe('POST /reserved_addrs#1 crash')
  expect(error.groups.map(({ replay }) => replay)).toContain('effect save the id#1 crash-before')
  expect(error.message).toContain('the code starts again')
})

test('a report tells the story of further bugs too, each after its replay', async () => {
  const createTwo = async ({ fetch, url }: Life) => {
    const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
    await fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })
    await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body: '{"domain":"app.example.com"}' })
  }
  const { message, groups } = await expectSurvivalError(survives(createTwo, { kinds: ['lost', '5xx'] }))
  expect(groups.length).toBeGreaterThan(2)
  const [, further] = message.split(/^ {2}Also /m)
  expect(further).toMatch(
    /^\d+ schedules?: .*\n {4}'POST \/reserved_\w+#1 \S+'\n\n {8}0s {2}POST \/reserved_addrs \{\}/,
  )
  expect(further).toContain('    in the end: ')
})

test('the story shows where the code has ended, if requests follow', async () => {
  const webhook: CodeUnderTest = async (life) => {
    const tryLater = () => void setTimeout(() => void createIfMissing(life), 1000)
    await createCall(life)('GET', '/reserved_addrs').catch(tryLater)
  }
  const error = await expectSurvivalError(survives(webhook, { replay: 'GET /reserved_addrs#1 503' }))
  expect(error.message).toBe(
    [
      'webhook does not survive one fault: it sends 2 requests after it has ended.',
      '',
      '      0s  GET /reserved_addrs ✗ 503',
      '          the code has ended: nothing awaits the following',
      '      1s  GET /reserved_addrs → 200',
      '      1s  POST /reserved_addrs {"description":"app"} → 201 (ra_a)',
      '  in the end: it resolves; left behind: ra_a',
    ].join('\n'),
  )
})

test('equal requests are one line of the story, whatever they have created', async () => {
  const replay = [1, 2, 3].map((nth) => `POST /reserved_addrs#${nth} lost-after`).join(', ')
  const error = await expectSurvivalError(survives(createBlindly, { replay }))
  expect(error.message).toContain(
    '✗ done, but the response is lost (ra_a)\n        … 3 times, until 2s\n      3s  POST /reserved_addrs {"description":"app"} → 201 (ra_d)',
  )
})

test('the report of one failing schedule calls it the only one', async () => {
  const strict: CodeUnderTest = async (life) => {
    await createIfMissing(life)
    await createCall(life)('GET', '/reserved_addrs').catch(() => new Promise(() => undefined))
  }
  const error = await expectSurvivalError(survives(strict, { kinds: ['429'] }))
  expect(error.message).toContain('\n  The only failing schedule; all 3 with one fault were tried.\n')
})

test('a DNS_ERROR that is taken as final leaves a domain without certificate', async () => {
  const error = await expectSurvivalError(survives(certificate(false), { kinds: ['outcomes'] }))
  expect(error.replay).toBe('attempt app.example.com#1 DNS_ERROR')
  expect(error.groups[0]?.verdict).toBe('leftovers-after-error')
})

test.each<[OptInFaultKind, CodeUnderTest, string]>([
  ['late', createIfMissing, 'POST /reserved_addrs#1 late'],
  [
    'slow',
    (life) => retry(() => createCall(life)('POST', '/reserved_addrs', {}, AbortSignal.timeout(10_000))),
    'POST /reserved_addrs#1 slow',
  ],
  [
    'clock',
    async (life) => {
      const start = Date.now()
      await createCall(life)('POST', '/reserved_addrs', {})
      if (Date.now() - start > 60_000) throw new Error('too late')
    },
    'POST /reserved_addrs#1 clock-forward',
  ],
])('the kind %s is tried if it is in `also`', async (kind, code, replay) => {
  const { groups } = await expectSurvivalError(survives(code, { kinds: [], also: [kind] }))
  expect(groups.map((each) => each.replay)).toEqual([replay])
})

test('the report says that code waits for nothing', async () => {
  const error = await expectSurvivalError(survives(() => new Promise(() => undefined)))
  expect(error.message).toMatch(/^The code fails without any fault: it never ends: it waits, but .*\n\n {2}in the end/)
})

test('a replay tries its schedule alone', async () => {
  const error = await expectSurvivalError(survives(createBlindly, { replay: 'POST /reserved_addrs#1 503-after' }))
  expect(error.message).toContain('✗ done, but 503 (ra_a)\n')
  await expect(survives(createIfMissing, { replay: 'POST /reserved_addrs#1 503-after' })).resolves.toMatchObject({
    tried: 1,
  })
})

test('a replay whose fault does not happen fails, since the code has changed', async () => {
  await expect(survives(createIfMissing, { replay: 'POST /reserved_domains#1 503' })).rejects.toThrow(
    'The replay "POST /reserved_domains#1 503" no longer applies',
  )
})

test('code that remembers something outside the function is rejected', async () => {
  let isDone = false
  const work: CodeUnderTest = async (life) => {
    if (isDone) return
    isDone = true
    await createCall(life)('POST', '/reserved_addrs', {})
  }
  await expect(survives(work)).rejects.toThrow('Two runs without failures differ. The first: POST /reserved_addrs {}')
})

test('schedules yields each schedule, with the timers of the host in between', async () => {
  const { setTimeout } = globalThis
  const verdicts: string[] = []
  for await (const { verdict, replay } of schedules(createBlindly, { faults: 1 })) {
    expect(globalThis.setTimeout).toBe(setTimeout)
    verdicts.push(`${replay} ${verdict}`)
  }
  expect(verdicts).toHaveLength(9)
  expect(verdicts[0]).toBe(' survived')
  expect(verdicts).toContain('POST /reserved_addrs#1 cut other-leftovers')
})

test.each([
  ['fake timers', () => void vi.useFakeTimers()],
  ['a mock of a timer', () => void vi.spyOn(globalThis, 'setTimeout')],
])('%s that the test has installed: rejected', async (_name, install) => {
  install()
  try {
    await expect(survives(createIfMissing)).rejects.toThrow('survives needs real timers, but found fake ones.')
  } finally {
    vi.useRealTimers()
    vi.restoreAllMocks()
  }
})

test('an unknown option and a wrong one are rejected', async () => {
  await expect(survives(createIfMissing, { fault: 1 } as object)).rejects.toThrow(
    '"fault" is not an option. Supported: ',
  )
  await expect(survives(createIfMissing, { faults: 0 })).rejects.toThrow(
    'faults is 0. Allowed: an integer from 1 to 8.',
  )
})

test('the global fetch reaches the gateway of the run', async () => {
  const createByGlobalFetch: CodeUnderTest = ({ url }) => createBlindly({ fetch: globalThis.fetch, url })
  const error = await expectSurvivalError(survives(createByGlobalFetch))
  expect(error.replay).toBe('POST /reserved_addrs#1 lost-after')
})

test('the global fetch reaches what is not the gateway, without failures', async () => {
  const code: CodeUnderTest = async (life) => {
    await createIfMissing(life)
    return (await fetch('data:text/plain,elsewhere')).text()
  }
  const { coverage } = await survives(code, { kinds: ['lost'], faults: 1, holds: ({ value }) => value === 'elsewhere' })
  expect(coverage.map(({ at }) => at)).toEqual(['GET /reserved_addrs', 'POST /reserved_addrs'])
})

test('the report says that a resource is missing', async () => {
  const code: CodeUnderTest = async (life) => {
    await createCall(life)('POST', '/reserved_addrs', {}).catch(() => undefined)
  }
  const { message } = await expectSurvivalError(survives(code, { kinds: ['lost'] }))
  expect(message).toMatch(/^code does not survive one fault: no reserved_addrs, expected 1\.\n/)
  expect(message).toContain('  in the end: it resolves; left behind: nothing\n')
})

test('with restart, pending requests of a crashed process never end, and its timers are gone', async () => {
  const lives: string[] = []
  const logLives: CodeUnderTest = async (life) => {
    const log = (what: string) => lives.push(`${life.life} ${what}`)
    setTimeout(() => log('timer'), 10)
    await createIfMissing(life)
    log('done')
  }
  await survives(logLives, { replay: 'GET /reserved_addrs#1 crash', restart: true })
  expect(lives.slice(4)).toEqual(['2 done', '2 timer'])
})

test('progress counts the schedules of each level', async () => {
  const last = new Map<number, string>()
  const onProgress: SurvivesOptions['onProgress'] = ({ tried, total, failing, faults }) =>
    last.set(faults, `${tried} of ${total}, ${failing} fail`)
  await survives(createIfMissing, { kinds: ['lost'], onProgress })
  expect([...last.values()]).toEqual(['0 of 0, 0 fail', '3 of 3, 0 fail', '10 of 10, 0 fail'])
})

test('the snapshot of a failing schedule has the leftover resources, and can be restored', async () => {
  const { groups } = await expectSurvivalError(survives(createBlindly))
  const gateway = createGateway({ clock: manualClock(CLOCK_START) })
  gateway.restore(groups[0]?.snapshot as Parameters<typeof gateway.restore>[0])
  expect(gateway.reservedAddrs.list().reserved_addrs).toHaveLength(2)
})

test('certificates are shared among runs, and are those of a gateway alone', async () => {
  const policy = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }
  const chains: string[] = []
  const waitForCertificate: CodeUnderTest = async (life) => {
    let domain = await createCall(life)('POST', '/reserved_domains', policy)
    while (!domain.certificate) {
      await sleep(30_000)
      domain = await createCall(life)('GET', `/reserved_domains/${domain.id}`)
    }
    chains.push((await createCall(life)('GET', `/tls_certificates/${domain.certificate.id}`)).certificate_pem)
  }
  await survives(waitForCertificate, { kinds: ['outcomes'], faults: 1 })
  // Each run of `survives` starts at this time.
  const alone = createGateway({ clock: manualClock('2026-01-01T00:00:00Z'), seed: 'survives' })
  alone.reservedDomains.create(policy)
  alone.clock.advance('30s')
  const [certificate] = alone.tlsCertificates.list().tls_certificates
  const [first, second, ...later] = chains
  expect([first, second]).toEqual([certificate?.certificate_pem, certificate?.certificate_pem])
  // Each failure delays the certificate by another time.
  expect(new Set(later).add(String(first)).size).toBe(3)
})
