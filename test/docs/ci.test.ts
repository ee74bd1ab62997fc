import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { ownPort } from '../../scripts/own-port.mjs'
import { titleWithRequirement } from '../support/requirements.ts'
import { listBlocksOf } from './blocks.ts'

const command = inject('command')
const recipes = new Map(listBlocksOf('docs/ci.md').map(({ file, code }) => [file, parse(code)]))

let folder: string
let port: number

/** A checkout in which `npm ci` has been, whose end-to-end tests ask the gateway once and end as told. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fauxgate-ci-'))
  port = await ownPort()
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  const program = (name: string, lines: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  program('fauxgate', `echo $$ >> fauxgate.pids\nexec "${process.execPath}" "${command}" "$@"`)
  program(
    'npm',
    '[ "$1" = ci ] && exit 0\ncurl --silent --output /dev/null -H "Authorization: Bearer k" -H "Ngrok-Version: 2" "$API_URL/reserved_domains"\nexit "$TESTS_END_WITH"',
  )
})

afterEach(() => {
  // The end of the job.
  spawnSync('sh', ['-c', 'kill $(cat fauxgate.pids)'], { cwd: folder })
  rmSync(folder, { recursive: true, force: true })
})

/** Runs commands as one step of a job: a shell that ends at the first failure. */
function runStep(commands: string, environment: Readonly<Record<string, string>>): number | null {
  const env = {
    ...process.env,
    PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`,
    NO_PROXY: '*',
    FAUXGATE_PORT: String(port),
    FAUXGATE_URL: `http://127.0.0.1:${port}`,
    ...environment,
  }
  const usePort = (text: string) => text.replaceAll('4747', String(port))
  const args = ['-e', '-o', 'pipefail', '-c', usePort(commands)]
  const given = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, usePort(text ?? '')]))
  return spawnSync('bash', args, { cwd: folder, env: given, stdio: 'ignore' }).status
}

interface Step {
  readonly run?: string
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the steps of a GitHub job; answers whether it passed. */
function github(testsEndWith: string): boolean {
  let passed = true
  for (const { run, if: condition, env } of recipes.get('.github/workflows/test.yml').jobs.test.steps as Step[]) {
    if (run === undefined || (condition === 'failure()') === passed) continue
    if (runStep(run, { ...env, TESTS_END_WITH: testsEndWith }) !== 0) passed = false
  }
  return passed
}

/** Runs the script of a GitLab job, all of it in one shell; answers whether it passed. */
function gitlab(testsEndWith: string): boolean {
  const { script, variables } = recipes.get('.gitlab-ci.yml').test
  return runStep(script.join('\n'), { ...variables, TESTS_END_WITH: testsEndWith }) === 0
}

/** The files that a recipe keeps of a job that failed. */
const kept = {
  github: () => recipes.get('.github/workflows/test.yml').jobs.test.steps.at(-1).with.path.trim().split('\n'),
  gitlab: () => recipes.get('.gitlab-ci.yml').test.artifacts.paths,
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe.runIf(hasCurl).each([
  ['github', github, kept.github],
  ['gitlab', gitlab, kept.gitlab],
] as const)(titleWithRequirement('The recipe for %s', hasCurl, 'curl is missing'), (_name, run, files) => {
  test('passes if the tests pass', () => {
    expect(run('0')).toBe(true)
  })

  test("fails if the tests fail, and keeps the gateway's report", () => {
    expect(run('1')).toBe(false)
    const texts = files().map((name: string) => readFileSync(join(folder, name), 'utf8'))
    expect(texts).toEqual([
      expect.stringContaining('GET /reserved_domains → 200'),
      expect.stringContaining('/reserved_domains'),
    ])
  })
})
