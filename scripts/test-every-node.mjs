// Runs all tests on every supported version of Node, shuffled and each in a time zone of its own, and prints one line per
// version: `npm run test:every-node -- [--others] [20 22 …]`. --others leaves out the version that runs this script.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { NODES, nodeOf } from './nodes.mjs'

/** Zones that differ from UTC by more than whole hours, or by whole days. */
const ZONES = { 20: 'Pacific/Apia', 22: 'Asia/Kathmandu', 24: 'America/St_Johns', 26: 'Australia/Lord_Howe' }

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-every-node-'))
const { values, positionals } = parseArgs({ options: { others: { type: 'boolean' } }, allowPositionals: true })

/** How long all tests may take on one version, in ms: several times what they do. One that stands still is begun again once. */
const MOST_MS = 15 * 60_000

/** Runs the tests on one version. Answers whether all passed. */
function passesOn(major, isAgain = false) {
  const { path, version } = nodeOf(major)
  const zone = ZONES[major]
  const seed = String(Date.now() % 1_000_000_000)
  const report = join(folder, `${major}.json`)
  const reporters = ['--reporter=json', `--outputFile.json=${report}`]
  const args = [
    vitest,
    'run',
    '--project=shared',
    '--project=own',
    '--sequence.shuffle',
    `--sequence.seed=${seed}`,
    ...reporters,
  ]
  const startedAt = Date.now()
  const limited = { timeout: MOST_MS, killSignal: 'SIGKILL' }
  const env = { ...process.env, TZ: zone }
  const { status, stderr, error } = spawnSync(path, args, { cwd: root, env, encoding: 'utf8', ...limited })
  if (error?.code === 'ETIMEDOUT' && !isAgain) {
    console.log(`     Node ${version} stood still for ${MOST_MS / 60_000} minutes, with the seed ${seed}: begun again`)
    return passesOn(major, true)
  }
  const { testResults, ...counts } = reportOf(report)
  const passed = status === 0 && counts.numFailedTests === 0
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(
    `${passed ? 'ok  ' : 'FAIL'} Node ${version}, ${zone}, seed ${seed}: ${counts.numPassedTests} passed, ` +
      `${counts.numFailedTests} failed, ${counts.numPendingTests} left out, ${seconds} s`,
  )
  if (passed) return true
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (message) console.log(`     ${name}: ${message}`)
    for (const test of failed) console.log(`     ${test.fullName}\n       ${test.failureMessages.join('\n       ')}`)
  }
  if (testResults.length === 0 || counts.numFailedTests === 0) console.log(stderr)
  return false
}

function reportOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] }
  }
}

const own = process.version.slice(1).split('.')[0]
const chosen = positionals.length > 0 ? positionals : NODES.filter((major) => !values.others || major !== own)
try {
  const failed = chosen.filter((major) => !passesOn(major))
  if (failed.length > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
