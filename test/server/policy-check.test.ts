import { describe, expect, test } from 'vitest'
import { WARNINGS } from '../../src/service/policy/index.ts'
import { runToEnd, startProcess } from '../support/command.ts'
import { newFile, newFolder } from '../support/folder.ts'

const check = (...args: string[]) => runToEnd({}, 'policy', 'check', ...args)
const RIGHT = 'on_http_request: [{ actions: [{ type: deny }] }]\n'
const WRONG = 'on_http_request: [{ actions: [{ type: dney }] }]\n'
const WARNED = WARNINGS[0]?.wrong ?? ''

describe('The exit code of `fauxgate policy check`', () => {
  test.each<[string, number, string, ...string[]]>([
    ['a right policy', 0, RIGHT],
    ['a wrong policy', 1, WRONG],
    ['a warning', 0, WARNED],
    ['a warning with --strict', 1, WARNED, '--strict'],
    ['no policy', 2, 'a: 1\n'],
    ['no policy, which is allowed', 0, 'a: 1\n', '--pass-without-policies'],
    ['a place that the policy does not fit', 1, 'on_tcp_connect: [{ actions: [{ type: deny }] }]\n', '--place', 'edge'],
    ['a protocol that it fits', 0, 'on_tcp_connect: [{ actions: [{ type: deny }] }]\n', '--protocol', 'tcp'],
    ['an unknown format', 2, RIGHT, '--format', 'xml'],
  ])('%s: %i', async (_, code, text, ...flags) => {
    expect((await check(newFile('policy.yaml', text), ...flags)).code).toBe(code)
  })

  test.each([
    ['an empty folder', [newFolder], 2, 'No traffic policy in '],
    ['an empty folder, which is allowed', [newFolder, '--pass-without-policies'], 0, ''],
    [
      'a glob without files, also if no policy is allowed',
      ['nowhere/**/*.yml', '--pass-without-policies'],
      2,
      'matches no files.',
    ],
  ])('%s', async (_, words, code, text) => {
    const checked = await check(...words.map((each) => (typeof each === 'string' ? each : each())))
    expect([checked.code, checked.stderr]).toEqual([code, expect.stringContaining(text)])
  })

  test('a device, which has no end: 2', async () => {
    const { code, stderr } = await check('/dev/zero')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('/dev/zero cannot be read: it is a device, not a file.'),
    ])
  })

  test('a file whose policies Terraform computes: 2, with a note that has its line', async () => {
    const file = newFile('a.tf', 'locals {\n  a = jsonencode({ on_http_request = local.rules })\n}\n')
    const { code, stderr } = await check(file)
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /in line 2\. These are not checked.*terraform show -json.*No traffic policy that can be checked in /s,
    )
  })

  test('a file that does not exist: 2, without a file: 2', async () => {
    expect((await check('no-such-file.yaml')).code).toBe(2)
    expect((await check()).code).toBe(2)
  })
})

test('The output keeps colours and tabs, and escapes other control characters', async () => {
  const file = newFile('policy.yaml', 'on_http_request: [{ actions:\t[{ type: "dn\u202ey" }] }]\n')
  const { stdout: out } = await runToEnd({ FORCE_COLOR: '1' }, 'policy', 'check', file)
  expect(out).toContain('\u001b[31merror\u001b[39m')
  expect(out).toContain('actions:\t[{ type: "dn\\u202ey" }]')
})

test.each([500, 1000, 1900, 2500])('checks a sum of %i texts without an overflow of the stack', async (count) => {
  const sum = Array.from({ length: count }, () => "'a'").join(' + ')
  const rule = { expressions: [`req.url.path == ${sum}`], actions: [{ type: 'deny' }] }
  const file = newFile('long.json', JSON.stringify({ on_http_request: [rule] }))
  const { output, exited } = startProcess({}, 'policy', 'check', file)
  await exited
  expect(output.stderr).toBe('')
})
