import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { general } from '../../src/core/schema/general-errors.ts'
import { createGateway, type GatewayOptions, manualClock } from '../../src/index.ts'
import { withLog } from '../../src/server/log/gateway-log.ts'
import { createPainter, type LoggedRequest, type LoggedTransition, textLog } from '../../src/server/log/log.ts'
import { LogOutput } from '../../src/server/log/output.ts'
import { CLOCK_START } from '../support/clock.ts'
import { exchange } from '../support/exchange.ts'
import { createTestClock } from '../support/gateway.ts'
import { deferredStore } from '../support/memory-store.ts'
import { ECDSA } from '../support/provisioning.ts'

const AT = Date.UTC(2026, 0, 1, 0, 0, 0, 500)
const REQUEST: LoggedRequest = {
  at: AT,
  method: 'GET',
  path: '/a',
  operation: null,
  status: 200,
  error: null,
  message: null,
  duration: null,
}
const TRANSITION: LoggedTransition = {
  at: '2026-01-01T00:00:00Z',
  domain: 'a.test',
  id: 'rd_1',
  transition: 'issued',
  message: 'It is in use.',
}

/** Creates a log that marks styles, and returns its lines. */
function createLog(isDated = true) {
  const written: string[] = []
  const log = textLog(
    (text) => written.push(text),
    (style, text) => `<${style} ${text}>`,
    isDated,
  )
  return { log, written }
}

describe('A line of the log', () => {
  const TIME = '<dim 2026-01-01T00:00:00Z>'

  it.each<[Partial<LoggedRequest>, string]>([
    [{}, `${TIME} GET    ${'/a'.padEnd(34)} <green 200>`],
    [{ status: 399, method: 'OPTIONS' }, `${TIME} OPTIONS ${'/a'.padEnd(34)} <green 399>`],
    [
      { status: 400, error: 'E_1', operation: 'o.list', duration: 1.26, message: 'No.' },
      `${TIME} GET    ${'/a'.padEnd(34)} <yellow 400> <yellow E_1> o.list <dim 1.3 ms> <dim No.>`,
    ],
    [{ status: 500, error: 'E' }, `${TIME} GET    ${'/a'.padEnd(34)} <red 500> <red E>`],
    [{ status: null, message: 'gone' }, `${TIME} GET    ${'/a'.padEnd(34)} <red ---> <dim gone>`],
    [{ path: `/${'x'.repeat(299)}` }, `${TIME} GET    /${'x'.repeat(299)} <green 200>`],
    [{ path: `/${'x'.repeat(300)}` }, `${TIME} GET    /${'x'.repeat(299)}… <green 200>`],
    [
      { message: 'a\u001b[31m\u0007b\u007f\u009bc\r\n\u2028\u2029d', error: 'a\nb', status: 500 },
      `${TIME} GET    ${'/a'.padEnd(34)} <red 500> <red a b> <dim a [31m b c d>`,
    ],
    [{ path: '/a\u202e\u2066b' }, `${TIME} GET    ${'/a\\u202e\\u2066b'.padEnd(34)} <green 200>`],
  ])('of a request: %j', (fields, line) => {
    const { log, written } = createLog()
    log.request({ ...REQUEST, ...fields })
    expect(written).toEqual([`${line}\n`])
  })

  it.each<[LoggedTransition['transition'], string]>([
    ['renewal failed', 'red'],
    ['cancelled', 'red'],
    ['renewed', 'green'],
    ['renewal started', 'cyan'],
  ])('of a certificate that is %s is %s', (transition, style) => {
    const { log, written } = createLog()
    log.provisioning({ ...TRANSITION, transition, message: 'one\ntwo' })
    expect(written).toEqual([`${TIME} cert   ${'a.test'.padEnd(34)} <${style} ${transition}> <dim one two>\n`])
  })

  it('has the local time of day if the clock is the system clock', () => {
    const { log, written } = createLog(false)
    const at = new Date(2026, 5, 1, 3, 4, 5).getTime()
    log.request({ ...REQUEST, at })
    log.provisioning({ ...TRANSITION, at: new Date(at).toISOString() })
    expect(written.map((line) => line.split('>')[0])).toEqual(['<dim 03:04:05', '<dim 03:04:05'])
  })
})

describe('Colours', () => {
  const RED = '\u001b[31mx\u001b[39m'
  it.each<[boolean | undefined, NodeJS.ProcessEnv, string]>([
    [true, {}, RED],
    [undefined, {}, 'x'],
    [true, { TERM: 'dumb' }, 'x'],
    [true, { NO_COLOR: '1' }, 'x'],
    [true, { FORCE_COLOR: 'false' }, 'x'],
    [undefined, { FORCE_COLOR: '' }, RED],
    [undefined, { FORCE_COLOR: '3', TERM: 'dumb' }, RED],
    [undefined, { FORCE_COLOR: '1', NO_COLOR: '1' }, 'x'],
  ])('of a stream whose isTTY is %j with %j', (isTTY, environment, text) => {
    const paint = createPainter(isTTY === undefined ? {} : { isTTY }, environment)
    expect(paint('red', 'x')).toBe(text)
  })
})

/** Opens a gateway with a log of everything. */
function openWithLog(options: GatewayOptions = {}) {
  const requests: LoggedRequest[] = []
  const order: string[] = []
  const log = {
    notice: () => undefined,
    visitor: () => undefined,
    request(line: LoggedRequest) {
      requests.push(line)
      order.push(`${line.method} ${line.path} ${line.status}`)
    },
    provisioning: ({ domain, transition }: LoggedTransition) => void order.push(`${domain} ${transition}`),
  }
  const inner = createGateway({ ...options, clock: manualClock(CLOCK_START) })
  const gateway = withLog(inner, log, undefined, [])
  const local = { peer: '127.0.0.1', headers: { host: '127.0.0.1' } }
  const send = (method: string, url: string) => exchange(gateway, { method, url, ...local })
  return { inner, gateway, requests, order, send }
}

describe('The log of a gateway', () => {
  it('knows each operation, HEAD as GET, and no query', () => {
    const { requests, send } = openWithLog()
    send('GET', '/reserved_addrs?limit=5')
    send('HEAD', '/reserved_addrs')
    send('PUT', '/reserved_addrs')
    send('GET', '/else')
    expect(requests.map(({ method, path, operation, status }) => [method, path, operation, status])).toEqual([
      ['GET', '/reserved_addrs', 'reserved_addrs.list', 200],
      ['HEAD', '/reserved_addrs', 'reserved_addrs.list', 200],
      ['PUT', '/reserved_addrs', null, 405],
      ['GET', '/else', null, 404],
    ])
    expect(requests[0]).toMatchObject({ at: CLOCK_START, error: null, message: null })
    expect(requests[0]?.duration).toBeGreaterThanOrEqual(0)
    expect(requests[3]).toMatchObject({
      error: 'ERR_GATEWAY_90400',
      message: expect.stringContaining('is not part of'),
    })
  })

  it('leaves out requests that only read controls, and has all that use them', () => {
    const { order, send } = openWithLog()
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      for (const path of ['/_fauxgate', '/_fauxgate/clock']) send(method, path)
      send(method, '/_fauxgate_not')
    }
    send('POST', '/_fauxgate/reset')
    send('POST', '/_fauxgate')
    expect(order.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'GET /_fauxgate_not',
      'HEAD /_fauxgate_not',
      'OPTIONS /_fauxgate_not',
      'POST /_fauxgate/reset',
      'POST /_fauxgate',
    ])
  })

  it('leaves out the requests of the inspector', () => {
    const { gateway, order } = openWithLog()
    exchange(gateway, { method: 'GET', isInspector: true })
    expect(order).toEqual([])
  })

  it('continues after a domain is deleted, and after a timeline has dropped its oldest entries', () => {
    const { inner, order } = openWithLog()
    const { id } = inner.reservedDomains.create({ domain: 'a.test', certificate_management_policy: ECDSA })
    inner.provisioning.failAlways('DNS_ERROR', { domain: 'a.test' })
    inner.clock.advance('7d')
    const failures = () => order.filter((line) => line === 'a.test failed').length
    expect(failures()).toBe(7 * 24)
    expect(order).toHaveLength(2 * failures())
    inner.reservedDomains.delete(id)
    expect(order).toHaveLength(2 * failures())
  })

  it('has the transitions of a domain in the words of its timeline, also if the same call deletes the domain', () => {
    const clock = createTestClock()
    const logged: LoggedTransition[] = []
    const log = {
      notice: () => undefined,
      visitor: () => undefined,
      request: () => undefined,
      provisioning: (transition: LoggedTransition) => void logged.push(transition),
    }
    const inner = createGateway({ clock, seed: 'x' })
    withLog(inner, log, undefined, [])
    const { id } = inner.reservedDomains.create({ domain: 'a.test', certificate_management_policy: ECDSA })
    inner.provisioning.failNext('DNS_ERROR', { domain: 'a.test' })
    clock.advance(2 * 3_600_000)
    const timeline = inner.provisioning.timeline(id)
    expect(timeline.map(({ transition }) => transition)).toEqual(['started', 'failed', 'retried', 'issued'])
    const inLog = ({ at, transition, message }: (typeof timeline)[number]) => ({
      at,
      domain: 'a.test',
      id,
      transition,
      message,
    })
    expect(logged).toEqual(timeline.map(inLog))
    logged.splice(0)
    clock.advance(61 * 86_400_000)
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    inner.reservedDomains.delete(id)
    expect(printed).not.toHaveBeenCalled()
    printed.mockRestore()
    expect(logged.map(({ transition }) => transition)).toEqual(['renewal started', 'renewed'])
    expect(logged[1]?.message).toMatch(/ is valid until .*, and will be renewed at /)
  })

  it('has a delayed request once its response is sent or broken off, or its client has left', async () => {
    const { inner, gateway, requests, send } = openWithLog()
    inner.faults.add({ latency: '5s', times: 2 })
    const [slow, abandoned] = [send('GET', '/reserved_addrs'), send('GET', '/reserved_addrs')]
    inner.faults.add({ drop: true, times: 1 })
    const broken = send('GET', '/reserved_domains')
    inner.faults.add({ status: 502, body: '<html>', times: 1 })
    const page = send('GET', '/reserved_domains')
    inner.faults.add({ status: 504, body: { error_code: 'E', msg: 'Late.' }, times: 1 })
    const late = send('GET', '/reserved_domains')
    expect(requests).toEqual([])
    const leaving = new AbortController()
    const delivery = gateway.transport.delivered(abandoned, { signal: leaving.signal })
    leaving.abort(new Error('left'))
    await expect(delivery).rejects.toThrow('left')
    for (const answer of [broken, page, late]) await gateway.transport.delivered(answer)
    const whole = gateway.transport.delivered(slow)
    inner.clock.advance('5s')
    expect((await whole).status).toBe(200)
    expect(requests.map(({ status, error, message }) => [status, error, message])).toEqual([
      [null, null, 'the client disconnected'],
      [null, null, 'a fault broke the connection'],
      [502, null, null],
      [504, 'E', 'Late.'],
      [200, null, null],
    ])
  })

  it('has the error that the client gets if the store cannot write a change', async () => {
    const store = deferredStore()
    const { gateway, requests, send } = openWithLog({ store })
    store.flush()
    const response = send('POST', '/reserved_addrs')
    expect([response.status, requests]).toEqual([201, []])
    store.lose(new Error('the disk is full'))
    expect((await gateway.transport.delivered(response)).status).toBe(507)
    expect(requests).toMatchObject([{ status: 507, error: 'ERR_GATEWAY_90507' }])
    const created = send('POST', '/reserved_addrs')
    store.flush()
    await gateway.transport.delivered(created)
    expect(requests.map(({ status }) => status)).toEqual([507, 201])
  })

  it('has a line for bytes that are not a request', () => {
    const { gateway, requests } = openWithLog()
    gateway.transport.refused(general.request_malformed, { problem: 'it is none' })
    expect(requests).toEqual([
      {
        at: CLOCK_START,
        method: '-',
        path: '-',
        operation: null,
        status: 400,
        error: 'ERR_GATEWAY_90430',
        message: expect.stringContaining('it is none'),
        duration: null,
      },
    ])
  })
})

describe('The output of a log', () => {
  it.each([
    [['two'], '1 line of the log is missing'],
    [['two', 'three'], '2 lines of the log are missing'],
  ])('drops %j, which nobody reads, and warns of this once somebody reads again', (unread, missing) => {
    const written: string[] = []
    const stream = new PassThrough().on('data', (text) => written.push(String(text)))
    const errors: string[] = []
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => errors.push(String(text)) > 0)
    const output = new LogOutput(stream)
    output.write('one')
    output.flush()
    const length = vi.spyOn(stream, 'writableLength', 'get').mockReturnValue(2 ** 20 + 1)
    for (const text of unread) output.write(text)
    expect(errors).toEqual([])
    length.mockReturnValue(2 ** 20)
    output.write('four')
    output.flush()
    spy.mockRestore()
    expect(written).toEqual(['one', 'four'])
    expect(errors).toEqual([`fauxgate: warning: ${missing} because the output was not read.\n`])
  })
})
