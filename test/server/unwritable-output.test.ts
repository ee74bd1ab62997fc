import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startProcess, startServer } from '../support/command.ts'
import { newFile } from '../support/folder.ts'
import { titleWithRequirement } from '../support/requirements.ts'

/** A device that is always full. Only Linux has it. */
const FULL = '/dev/full'
const hasFull = existsSync(FULL)

/** Runs the command with this device as its output. */
async function runToFullDisk(...args: readonly string[]) {
  const device = openSync(FULL, 'w')
  onTestFinished(() => closeSync(device))
  const child = spawn(process.execPath, [inject('command'), ...args], { stdio: ['ignore', device, 'pipe'] })
  const exited = once(child, 'close')
  const stderr = child.stderr ? await text(child.stderr) : ''
  const [code] = await exited
  // Client commands also print the server's URL.
  return { code, stderr: stderr.replace(/^fauxgate: at http.*\n/, '') }
}

const LOST = { code: 1, stderr: 'fauxgate: the output cannot be written: the disk is full.\n' }

const POLICY = 'on_http_request: [{ actions: [{ type: deny }] }]\n'
const TESTS = `policy: { on_http_request: [{ actions: [{ type: deny }] }] }
tests: [{ name: all, request: { url: 'https://a.example.com/' }, expect: { status: 403 } }]
`

describe.runIf(hasFull)(
  titleWithRequirement('A command whose output is lost fails, with the reason', hasFull, 'no full disk'),
  () => {
    test.each([['help'], ['--version'], ['serve', '--help'], ['completion', 'bash']])('%j %j', async (...args) => {
      expect(await runToFullDisk(...args)).toEqual(LOST)
    })

    test.each(['text', 'json', 'junit', 'github'])('of `policy check` and `policy test` as %s', async (format) => {
      const [policy, tests] = [newFile('policy.yml', POLICY), newFile('policy.test.yml', TESTS)]
      expect(await runToFullDisk('policy', 'check', '--format', format, policy)).toEqual(LOST)
      expect(await runToFullDisk('policy', 'test', '--format', format, tests)).toEqual(LOST)
    })

    test.each([['state', 'export'], ['requests', '--json'], ['requests', 'test'], ['report'], ['root']])(
      'of the client command %j %j',
      async (...args) => {
        const { url } = await startServer({})
        await fetch(`${url}/reserved_addrs`)
        expect(await runToFullDisk(...args, '--url', url)).toEqual(LOST)
      },
    )
  },
)

test('A reader of the output that exits early is no failure', async () => {
  const { child, output, exited } = startProcess({}, 'help')
  child.stdout.destroy()
  expect([await exited, output.stderr]).toEqual([0, ''])
})
