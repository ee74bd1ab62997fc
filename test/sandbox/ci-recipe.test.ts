import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load as parse } from 'js-yaml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listBlocksOf } from '../docs/blocks.ts'
import { ACCOUNT_KEY, SandboxClient, SharedSandboxes } from './support/sandboxes.ts'

const block = listBlocksOf('docs/ci.md').find(({ file }) => file === '.github/workflows/sandbox.yml')
// JSON.parse, so that the workflow needs no type.
const workflow = JSON.parse(JSON.stringify(parse(block?.code ?? '')))

let sandboxes: SharedSandboxes
let folder: string
beforeEach(async () => {
  sandboxes = await new SharedSandboxes({ QUOTAS: 'pr-=1' }).start()
  folder = mkdtempSync(join(tmpdir(), 'fauxgate-recipe-'))
  mkdirSync(join(folder, 'bin'))
  // The end-to-end tests of the checkout create an address.
  const tests =
    'curl --silent --fail --output /dev/null -X POST "$API_URL/reserved_addrs" -H "Authorization: Bearer $API_KEY" -H "Ngrok-Version: 2" -H "Content-Type: application/json" -d "{}"'
  const npm = `#!/bin/sh\n[ "$1" = ci ] && exit 0\n[ -z "$ACCOUNT_KEY" ] || exit 1\n${tests}\n`
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 })
})
afterEach(async () => {
  await sandboxes.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Step {
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the steps of a job, each in a shell that ends at the first failure. Returns the result and the output. */
async function runJob(name: 'test' | 'remove', run: number, pullRequest = 12, accountKey = ACCOUNT_KEY) {
  const values: Readonly<Record<string, string>> = {
    'vars.FAUXGATE_SANDBOXES': sandboxes.url,
    'github.event.number': String(pullRequest),
    'secrets.FAUXGATE_ACCOUNT_KEY': accountKey,
    'env.SANDBOX': `${sandboxes.url}/s/pr-${pullRequest}`,
  }
  const fillIn = (env: Readonly<Record<string, string>> = {}) =>
    Object.entries(env).map(([key, text]) => [key, text.replace(/\$\{\{ (.*?) \}\}/g, (_, path) => values[path] ?? '')])
  const envFile = join(folder, `env-${run}`)
  writeFileSync(envFile, '')
  let output = ''
  for (const step of workflow.jobs[name].steps as Step[]) {
    if (step.run === undefined) continue
    const savedEntries = readFileSync(envFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('='))
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      NO_PROXY: '*',
      GITHUB_RUN_ID: String(9_000_000_000 + run),
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_ENV: envFile,
      ...Object.fromEntries([...fillIn(workflow.env), ...savedEntries, ...fillIn(step.env)]),
    }
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', step.run], { cwd: folder, env })
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (text) => (output += text))
    const [code] = await once(shell, 'close')
    if (code !== 0) return { passed: false, output, key: undefined }
  }
  return { passed: true, output, key: /API_KEY=(.*)/.exec(readFileSync(envFile, 'utf8'))?.[1] }
}

const doesSandboxExist = async () => (await sandboxes.callAccount('GET', '/s/pr-12')).status === 200

describe('The recipe for a sandbox for each pull request', () => {
  it('creates one sandbox, gives each run its own key, and removes the sandbox on merge', async () => {
    const runs = [await runJob('test', 1), await runJob('test', 2)]
    expect(runs).toMatchObject([{ passed: true }, { passed: true }])
    expect(runs[0]?.key).not.toBe(runs[1]?.key)
    for (const { key = '', output } of runs) {
      expect(output.replace(`::add-mask::${key}\n`, '')).not.toContain('fg')
      const created = { name: 'pr-12', url: `${sandboxes.url}/s/pr-12`, api_key: key, control_key: key }
      const headers = { ...new SandboxClient(sandboxes, created).headers, 'ngrok-version': '2' }
      const list = await sandboxes.send('GET', `${created.url}/reserved_addrs`, { headers })
      expect(list.body.reserved_addrs).toHaveLength(2)
    }
    const { keys } = (await sandboxes.callAccount('GET', '/s/pr-12/keys')).body
    expect(keys.map(({ name }: { name: string }) => name).slice(2)).toEqual(['run-9000000001-1', 'run-9000000002-1'])
    expect((await runJob('remove', 3)).passed).toBe(true)
    expect(await doesSandboxExist()).toBe(false)
    expect((await runJob('remove', 4)).passed).toBe(true)
  })

  it('fails with the reason if the account key is wrong or there are too many sandboxes', async () => {
    for (const name of ['test', 'remove'] as const) {
      const result = await runJob(name, 1, 12, 'another key')
      expect([result.passed, result.output]).toEqual([
        false,
        expect.stringContaining("does not contain this account's key"),
      ])
    }
    expect((await runJob('test', 2)).passed).toBe(true)
    const second = await runJob('test', 3, 13)
    expect([second.passed, second.output]).toEqual([
      false,
      expect.stringContaining('1 sandbox with the prefix pr- has been reached'),
    ])
    expect(await doesSandboxExist()).toBe(true)
  })
})
