// Runs the tests on every supported version of Node, shuffled, each version in another time zone: `npm run
// test:every-node -- [20 22 …] [files and options of vitest]`. It leaves out the tests of the repository's files and
// documents, because these are the same everywhere.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findNode, NODES } from '../scripts/nodes.mjs'
import { root, vitest } from '../scripts/shared.mjs'

/** Zones that differ from UTC by more than whole hours, or by whole days. */
const ZONES = { 20: 'Pacific/Apia', 22: 'Asia/Kathmandu', 24: 'America/St_Johns', 26: 'Australia/Lord_Howe' }

const args = process.argv.slice(2)
const majors = args.filter((each) => NODES.includes(each))
const options = args.filter((each) => !majors.includes(each))
const folders = readdirSync(join(root, 'test'), { withFileTypes: true }).filter((each) => each.isDirectory())
const files = folders.map(({ name }) => `test/${name}/`).filter((each) => !/docs|tooling/.test(each))
if (!options.some((each) => each.startsWith('test/'))) options.unshift(...files)
const chosen = majors.length > 0 ? majors : NODES

/** Runs the tests on one version. Returns whether all passed. */
function runTests(major) {
  const { path, version } = findNode(major)
  // Properties draw other cases on each version, and run all cases.
  const { FAUXGATE_SEED: seedOfRun } = process.env
  const env = {
    ...process.env,
    TZ: ZONES[major],
    PROPERTY_CASES: 'all',
    ...(seedOfRun && { FAUXGATE_SEED: String(Number(seedOfRun) + Number(major)) }),
  }
  const seed = String(Date.now() % 1_000_000_000)
  const all = [vitest, 'run', '--project=!types', `--sequence.seed=${seed}`, '--no-color']
  const { status, stdout, stderr } = spawnSync(path, [...all, ...options], {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const counts = /^ *Tests .*$/m.exec(stdout)?.[0].trim()
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} Node ${version}, ${ZONES[major]}, seed ${seed}: ${counts}`)
  if (status !== 0) console.log(stdout + stderr)
  return status === 0
}

if (chosen.filter((major) => !runTests(major)).length > 0) process.exitCode = 1
