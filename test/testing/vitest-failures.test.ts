import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { testUsing } from '../../src/testing/vitest.ts'

const folder = fileURLToPath(new URL('../fixtures/vitest', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

/** A test in the report of the JSON reporter. */
interface ReportedTest {
  readonly title: string
  readonly status: string
  readonly failureMessages: readonly string[]
}

let reports: ReadonlyMap<string, ReportedTest>

/** The output for people. */
let output: string

const outputFolder = mkdtempSync(join(tmpdir(), 'fauxgate-failures-'))
afterAll(() => rmSync(outputFolder, { recursive: true }))

beforeAll(async () => {
  const args = [vitest, 'run', '--root', folder, '--reporter', 'json', '--reporter', 'default', '--no-color', 'failing']
  const file = join(outputFolder, 'report.json')
  output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...args, '--outputFile', file], (_error, stdout, stderr) => resolve(stdout + stderr))
  })
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'))
  reports = new Map(testResults[0].assertionResults.map((each: ReportedTest) => [each.title, each]))
}, 60_000)

function findError(title: string): string {
  const { status, failureMessages } = reports.get(title) as ReportedTest
  expect(status).toBe('failed')
  expect(failureMessages).toHaveLength(1)
  return failureMessages[0] as string
}

describe('A test that fails says what happened at its gateway', () => {
  test('after its own error', () => {
    const lines = findError('by the code under test').split('\n')
    expect(lines.slice(0, 7)).toEqual([
      'Error: app.example.com was not reserved: 503',
      '',
      'The gateway at 2026-01-01T00:00:00Z:',
      '  requests:',
      '    2026-01-01T00:00:00Z  POST /reserved_domains {"domain":"app.example.com"} → 503 ERR_GATEWAY_90500',
      '      by the fault {"operation":"reserved_domains.create","times":1,"status":503}',
      '',
    ])
  })

  test('after the diff of a comparison, with the domain that the error names first', () => {
    const message = findError('by a comparison')
    expect(message).toMatch(/^AssertionError: other\.example\.com is not it: expected 'www/)
    expect(message).toMatch(/The gateway at .*:\n {2}provisioning of other\.example\.com .*\n.*\n {2}requests:/)
    expect(output).toMatch(
      /Received:.*www.*\n*The gateway at .*\n {2}provisioning of other(?:.*\n)+.*failing\.spec\.ts:\d+/,
    )
  })

  test('after an object that the code threw instead of an error', () => {
    expect(output).toMatch(
      /\{"errorCode":"ERR_413","msg":"The domain is taken\."\}\n+The gateway at .*:\n {2}requests:\n.*POST \/reserved_domains .*→ 201/,
    )
  })

  test('after such an object whose message is not a string', () => {
    expect(output).toMatch(/\{"message":413,"reason":"taken"\}\n+The gateway at .*:\n {2}requests:\n/)
    expect(reports.get('by an object whose message is not a string')?.failureMessages).toHaveLength(1)
  })

  test('but names no timer that its code set only because the test had ended', () => {
    const message = findError('before the end of the test breaks a response')
    expect(message).toContain('the client saw only the beginning of the response')
    expect(message).not.toContain('timer')
  })

  test('with the error of a direct call that was rejected', () => {
    expect(findError('by a direct call')).toMatch(/^GatewayError: There is no reserved domain rd_nope\./)
  })
})

describe('A test whose fixtures have no effect fails', () => {
  test.each([
    ['by options from a function without return', 'gatewayOptions is missing. Allowed: an object.'],
    ['by strict that is neither true nor false', 'strict is 0. Allowed: true or false.'],
    ['by a function that makes no gateway', 'create returned nothing. Allowed: a gateway.'],
  ])('%s', (title, message) => {
    expect(findError(title)).toMatch(`TypeError: ${message}`)
  })

  test('because `strict` is on if it is undefined', () => {
    expect(findError('by a fault that nobody met, with strict undefined')).toContain(
      '1 fault is still waiting for requests',
    )
  })

  test('before it runs, if testUsing() receives no function', () => {
    expect(() => testUsing(createNgrok() as never)).toThrow(new TypeError('create is an object. Allowed: a function.'))
  })
})

describe('A test whose assertions pass still fails', () => {
  test('for a fault that applied to no request, with the reason', () => {
    const message = findError('by a fault that nobody met')
    expect(message).toMatch(/^GatewayAssertionError: Your assertions passed, .*`strict: false`/)
    expect(message.match(/1 fault is still waiting for requests\./g)).toHaveLength(1)
    expect(message).not.toContain('pending:')
    expect(message).toContain(
      'POST /reserved_domains: its operation is reserved_domains.create, not reserved_domains.del',
    )
  })

  test('for a request that nobody waits for', () => {
    expect(findError('by an await that was forgotten at the end')).toContain(
      '1 request was still pending when the test ended: DELETE /reserved_domains/rd_1. Is an await missing',
    )
  })

  test('unless it is skipped, expected to fail, not strict, or has left nothing', () => {
    const titles = ['once, and not again', 'as it should', 'not: it is skipped', 'not', 'not: all is met']
    const statuses = titles.map((title) => reports.get(title)?.status)
    expect(statuses).toEqual(['passed', 'passed', 'skipped', 'passed', 'passed'])
  })
})

test('A SurvivalError shows its message once in each reporter, and nothing that is for programs', async () => {
  const names = ['verbose', 'tree', 'junit', 'github-actions']
  const reporters = names.flatMap((name) => ['--reporter', name])
  const args = [vitest, 'run', '--root', folder, ...reporters, '--no-color', 'survival']
  const text = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
  expect(text.split('SurvivalError: code does not survive one fault: 2 reserved_addrs, expected 1')).toHaveLength(5)
  expect(text.split('Replay: survives(code, ').length).toBeGreaterThan(3)
  expect(text).not.toMatch(/Serialized Error|groups|snapshot|verdict/)
  expect(text.length).toBeLessThan(1500 * names.length)
})
