import { Agent, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AnyControl } from '../../src/control/control.ts'
import { controls } from '../../src/control/controls.ts'
import { quote, toError } from '../../src/core/schema/text.ts'
import { ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { type Gateway, ngrok } from '../../src/index.ts'
import { startServerProcess } from '../support/command.ts'
import { findDifferences } from '../support/documented.ts'
import { exchange } from '../support/exchange.ts'
import {
  createHostileCalls,
  createTarget,
  type HostileCall,
  hostileValues,
  replaceArguments,
  type Target,
  VALID_CALLS,
  VALID_MEMBERS,
} from '../support/hostile.ts'
import { limitCases, propertyOptions } from '../support/property.ts'

const { paths } = openApi(ngrok, { part: 'controls', families: ngrokFamilies })
const calls = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    call: `${method.toUpperCase()} ${path.replace('/_fauxgate', '')}`,
    hasBody: 'requestBody' in operation,
  })),
)

/** Draws some of many cases, other ones for each seed. */
function draw<T>(all: readonly T[], count: number): readonly T[] {
  return all.length <= count ? all : fc.sample(fc.constantFrom(...all), propertyOptions({ numRuns: count }))
}

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Returns what is wrong with the response to a hostile call. */
function findProblems(gateway: Gateway, { method, url }: HostileCall, answered: Answered): string[] {
  const { status, headers, text } = answered
  const isJson = headers.get('content-type') === 'application/json'
  const answer = { ...answered, body: isJson && text !== '' ? JSON.parse(text) : undefined }
  const problems = findDifferences(gateway, { method, url: gateway.url + url, json: undefined }, answer, ngrokFamilies)
  // A move of the clock over years of renewals is stopped after ten seconds, and says so.
  if (status >= 500 && answer.body?.error_code !== 'ERR_NGROK_90422') problems.push('it failed')
  if (status >= 400 && text.length > 20_000) problems.push('the error is long')
  if (/[\u202e\0]/.test(answer.body?.msg ?? '')) problems.push('the error has characters that control a terminal')
  return problems
}

function describeCase({ method, url, body }: HostileCall, { status, text }: Answered, problems: readonly string[]) {
  return { method, url: url.slice(0, 200), body: body.slice(0, 300), status, text: text.slice(0, 300), problems }
}

test('each documented call of a control and each member has hostile cases', () => {
  expect(calls.map(({ call }) => call).sort()).toEqual(Object.keys(VALID_CALLS).sort())
  expect(listMembers(createTarget().gateway).sort()).toEqual(Object.keys(VALID_MEMBERS).sort())
})

// rules: control-api#errors
describe('Hostile calls of a control over HTTP get documented responses, and a rejected one changes nothing', () => {
  test.each(calls)('in the same process: $call', async ({ call, hasBody }) => {
    const target = createTarget()
    const { gateway } = target
    const all = createHostileCalls(call, VALID_CALLS[call]?.(target) ?? [], hasBody)
    const start = gateway.snapshot({ privateKeys: true })
    let commits = 0
    gateway.subscribe(() => commits++)
    const wrong: object[] = []
    for (const each of draw(all, limitCases(90))) {
      const before = commits
      const first = exchange(gateway, { ...each, headers: { host: 'localhost' } })
      const { status, headers, body } = (await first.safe) ?? first
      const answered = { status, headers: new Headers(headers), text: body ?? '' }
      const problems = findProblems(gateway, each, answered)
      if (status >= 400 && status !== 504 && commits > before) problems.push('it changed something')
      if (problems.length > 0) wrong.push(describeCase(each, answered, problems))
      // The next call meets the same state.
      if (commits > before) gateway.restore(start)
    }
    expect(wrong).toEqual([])
  })

  test('in a server, which never exits', async () => {
    const target = createTarget()
    const { child, output, url } = await startServerProcess(
      ...['serve', '--port', '0', '--quiet', '--dialect', 'ngrok', '--clock', 'manual'],
    )
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const all = calls.flatMap(({ call, hasBody }) =>
      draw(createHostileCalls(call, VALID_CALLS[call]?.(target) ?? [], hasBody), limitCases(24)),
    )
    const wrong: object[] = []
    for (const each of all) {
      const answered = await send(url, each, agent)
      const problems = findProblems(target.gateway, each, answered)
      if (problems.length > 0) wrong.push(describeCase(each, answered, problems))
    }
    expect(wrong).toEqual([])
    expect([child.exitCode, output.stderr]).toEqual([null, ''])
  })
})

async function send(base: string, { method, url, body }: HostileCall, agent: Agent): Promise<Answered> {
  const headers = body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    request(base + url, { method, headers, agent }, async (response) => {
      const { statusCode: status = 0, headers: received } = response
      resolve({ status, headers: new Headers(received as Record<string, string>), text: await readText(response) })
    })
      .on('error', reject)
      .end(body)
  })
}

/** Lists the members that controls add, with a dot before the name of a nested one. */
function listMembers(gateway: object): string[] {
  // A proxy is enough as a host: the test looks only at the names of the members.
  const host = new Proxy({}, { get: () => () => undefined })
  const names = controls.flatMap(({ members }: AnyControl) => Object.keys(members?.(host as never) ?? {}))
  return names.flatMap((name) => {
    const member = Reflect.get(gateway, name)
    if (typeof member === 'function') return [name]
    return Object.keys(member).flatMap((inner) => (typeof member[inner] === 'function' ? [`${name}.${inner}`] : []))
  })
}

/** The words of errors that the platform throws when code did not expect a value. */
const OF_PLATFORM =
  /^(Cannot |Invalid URL|Do not know|Converting|Maximum call|Method |[\w.$]+ is not (a function|iterable|a constructor|an object)|.*of undefined)/

describe('A hostile call of a member is rejected in words, and then changes nothing', () => {
  test.each(Object.keys(VALID_MEMBERS))('%s', async (member) => {
    const [name = '', inner] = member.split('.')
    const createCases = (target: Target) =>
      hostileValues().flatMap((value) => [[value], ...replaceArguments(VALID_MEMBERS[member]?.(target) ?? [], value)])
    const all = [...createCases(createTarget()).keys()]
    const wrong: object[] = []
    for (const index of draw(all, limitCases(24))) {
      const target = createTarget()
      const { gateway, domain } = target
      // A move over thousands of years would renew its certificate each 60 days.
      if (name === 'clock') gateway.reservedDomains.delete(domain)
      const args = createCases(target)[index] ?? []
      const owner = inner === undefined ? gateway : Reflect.get(gateway, name)
      let commits = 0
      gateway.subscribe(() => commits++)
      try {
        await Reflect.apply(Reflect.get(owner, inner ?? name), owner, args)
      } catch (thrown) {
        const { message, stack = '' } = toError(thrown)
        // What takes the arguments of `fetch` also throws its errors.
        if (commits === 0 && (inner === 'fetch' || !OF_PLATFORM.test(message))) continue
        const place = stack.split('\n').find((line) => line.includes('/src/'))
        wrong.push({ index, args: args.map((each) => quote(each)), message, commits, place })
      }
    }
    expect(wrong).toEqual([])
  })
})
