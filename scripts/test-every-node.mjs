// Runs the tests on every supported version of Node, shuffled and each in a time zone of its own: `npm run test:every-node
// -- [20 22 …] [files and options of vitest]`. Left out are the tests of what is in the repository and of its documents, which are
// the same everywhere.
import { spawnSync } from 'node:child_process'
import { findNode, NODES } from './nodes.mjs'
import { root, vitest } from './shared.mjs'

/** Zones that differ from UTC by more than whole hours, or by whole days. */
const ZONES = { 20: 'Pacific/Apia', 22: 'Asia/Kathmandu', 24: 'America/St_Johns', 26: 'Australia/Lord_Howe' }

const args = process.argv.slice(2)
const majors = args.filter((each) => NODES.includes(each))
const options = args.filter((each) => !majors.includes(each))
const chosen = majors.length > 0 ? majors : NODES

/** Runs the tests on one version. Returns whether all passed. */
function passesOn(major) {
  const { path, version } = findNode(major)
  // Properties try other cases on each version, and all of them.
  const { FAUXGATE_SEED: given } = process.env
  const env = {
    ...process.env,
    TZ: ZONES[major],
    PROPERTY_CASES: 'all',
    ...(given && { FAUXGATE_SEED: String(Number(given) + Number(major)) }),
  }
  const seed = String(Date.now() % 1_000_000_000)
  const all = [vitest, 'run', '--project=shared', '--project=own', `--sequence.seed=${seed}`, '--no-color']
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

if (chosen.filter((major) => !passesOn(major)).length > 0) process.exitCode = 1
