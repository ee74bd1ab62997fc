import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load as parse } from 'js-yaml'
import { describe, inject, test as plainTest } from 'vitest'
import { ownPort } from '../../scripts/own-port.mjs'
import { titleWithRequirement } from '../support/requirements.ts'
import { listBlocksOf } from './blocks.ts'

const command = inject('command')
const recipes = new Map(
  // JSON.parse, so that the recipes need no types.
  listBlocksOf('docs/ci.md').map(({ file, code }) => [file, JSON.parse(JSON.stringify(parse(code)))]),
)

interface Checkout {
  readonly folder: string
  readonly port: number
}

/** A test with a checkout after `npm ci`. Its end-to-end tests send one request, and exit with $TESTS_END_WITH. */
const test = plainTest.extend<{ checkout: Checkout }>({
  checkout: async ({ task: _ }, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'fauxgate-ci-'))
    const bin = join(folder, 'node_modules/.bin')
    mkdirSync(bin, { recursive: true })
    const writeProgram = (name: string, lines: string) =>
      writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
    writeProgram('fauxgate', `echo $$ >> fauxgate.pids\nexec "${process.execPath}" "${command}" "$@"`)
    writeProgram(
      'npm',
      '[ "$1" = ci ] && exit 0\ncurl --silent --output /dev/null -H "Authorization: Bearer k" -H "Ngrok-Version: 2" "$API_URL/reserved_domains"\nexit "$TESTS_END_WITH"',
    )
    await use({ folder, port: await ownPort() })
    // The end of the job.
    spawnSync('sh', ['-c', 'kill $(cat fauxgate.pids)'], { cwd: folder })
    rmSync(folder, { recursive: true, force: true })
  },
})

/** Runs commands as one step of a job: a shell that ends at the first failure. */
async function runStep(
  { folder, port }: Checkout,
  commands: string,
  environment: Readonly<Record<string, string>>,
): Promise<number | null> {
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
  const stepEnvironment = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, usePort(text ?? '')]))
  const [status] = await once(spawn('bash', args, { cwd: folder, env: stepEnvironment, stdio: 'ignore' }), 'exit')
  return status
}

interface Step {
  readonly run?: string
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the steps of a GitHub job. Returns true if the job passed. */
async function runGithubJob(checkout: Checkout, testsEndWith: string): Promise<boolean> {
  let passed = true
  for (const { run, if: condition, env } of recipes.get('.github/workflows/test.yml').jobs.test.steps as Step[]) {
    if (run === undefined || (condition === 'failure()') === passed) continue
    if ((await runStep(checkout, run, { ...env, TESTS_END_WITH: testsEndWith })) !== 0) passed = false
  }
  return passed
}

/** Runs the whole script of a GitLab job in one shell. Returns true if the job passed. */
async function runGitlabJob(checkout: Checkout, testsEndWith: string): Promise<boolean> {
  const { script, variables } = recipes.get('.gitlab-ci.yml').test
  return (await runStep(checkout, script.join('\n'), { ...variables, TESTS_END_WITH: testsEndWith })) === 0
}

/** The files that a recipe keeps after a job has failed. */
const reportFiles = {
  github: () => recipes.get('.github/workflows/test.yml').jobs.test.steps.at(-1).with.path.trim().split('\n'),
  gitlab: () => recipes.get('.gitlab-ci.yml').test.artifacts.paths,
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

// At once, because each job waits a second for its gateway.
describe.runIf(hasCurl).each([
  ['github', runGithubJob, reportFiles.github],
  ['gitlab', runGitlabJob, reportFiles.gitlab],
] as const)(
  titleWithRequirement('The recipe for %s', hasCurl, 'curl is missing'),
  { concurrent: true },
  (_name, run, files) => {
    test('passes if the tests pass', async ({ checkout, expect }) => {
      expect(await run(checkout, '0')).toBe(true)
    })

    test("fails if the tests fail, and keeps the gateway's report", async ({ checkout, expect }) => {
      expect(await run(checkout, '1')).toBe(false)
      const texts = files().map((name: string) => readFileSync(join(checkout.folder, name), 'utf8'))
      expect(texts).toEqual([
        expect.stringContaining('GET /reserved_domains → 200'),
        expect.stringContaining('/reserved_domains'),
      ])
    })
  },
)
