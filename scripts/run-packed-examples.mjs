// Runs the examples that have packages of their own, and each part of docs/getting-started.md, named as "start: Bun". Each
// has a folder of its own with the packed package, as a stranger would have: `node scripts/run-packed-examples.mjs [--all]
// [--shard=1/2] [name…]`. An example that cannot be installed here is left out, and named in the end; with --all that is a
// failure. Needs `npm run build`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { inFolder, pack, root } from './packed.mjs'

const examples = join(root, 'examples')
const { values, positionals: wanted } = parseArgs({
  options: { all: { type: 'boolean' }, shard: { type: 'string', default: '1/1' } },
  allowPositionals: true,
})
const [shard, shards] = values.shard.split('/').map(Number)
const guide = readFileSync(join(root, 'docs/getting-started.md'), 'utf8')

/** The commands of each part of the guide, by its name here. */
const starts = new Map(
  guide.split(/^## /m).flatMap((part) => {
    const commands = [...part.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block)
    return commands.length === 0 ? [] : [[`start: ${part.split('\n', 1)}`, commands.join('')]]
  }),
)
const names = [
  ...readdirSync(examples).filter((name) => existsSync(join(examples, name, 'package.json'))),
  ...starts.keys(),
]

const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) throw new Error(`There is no example ${unknown.join(', ')}. There are ${names.join(', ')}.`)

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']
const places = (process.env.PATH ?? '').split(delimiter)
const chromium =
  process.env.CHROMIUM ?? places.flatMap((place) => BROWSERS.map((name) => join(place, name))).find(existsSync)

/** The codes of npm for a package, or a build for this platform, that its registry does not have. */
const NOT_HAD = /\b(E404|ETARGET|EBADPLATFORM|ENOTFOUND|EAI_AGAIN|ECONNREFUSED)\b/

/** Runs one example. Returns undefined if it passes, else why it failed or was left out. */
function run(name, tarball, folder) {
  const manifest = JSON.parse(readFileSync(join(examples, name, 'package.json'), 'utf8'))
  const needsBrowser = Object.keys(manifest.devDependencies).some((each) => each.includes('playwright'))
  if (needsBrowser && !chromium) return { leftOut: 'there is no Chromium on this machine; name one in CHROMIUM' }
  cpSync(join(examples, name), folder, { recursive: true })
  manifest.devDependencies.fauxgate = `file:${tarball}`
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const npm = (...args) =>
    spawnSync('npm', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, CHROMIUM: chromium } })
  const installed = npm('install', '--no-fund', '--no-audit', '--loglevel=error')
  if (installed.status !== 0) {
    const why = NOT_HAD.exec(installed.stderr)
    return why ? { leftOut: `npm cannot install it here: ${why[0]}` } : { failed: installed.stderr }
  }
  const { status, stdout, stderr } = npm('test')
  return status === 0 ? undefined : { failed: `${stdout}${stderr}` }
}

/** The runners that a part of the guide takes for granted, from npm. */
const PRESENT = { 'start: Bun': 'bun', 'start: Deno': 'deno' }

/** Runs the commands of one part of the guide in an empty folder. Returns what `run` returns. */
function start(name, tarball, folder) {
  mkdirSync(folder)
  const tools = join(folder, '..', 'tools')
  if (PRESENT[name]) {
    const args = ['install', '--prefix', tools, '--no-fund', '--no-audit', '--loglevel=error', PRESENT[name]]
    const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
    const why = NOT_HAD.exec(stderr)
    if (status !== 0) return why ? { leftOut: `npm cannot install it here: ${why[0]}` } : { failed: stderr }
  }
  const commands = starts.get(name).replaceAll('--save-dev fauxgate', `--save-dev ${tarball}`)
  const PATH = [join(tools, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const env = { ...process.env, PATH, CI: '1', npm_config_loglevel: 'error' }
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', commands], { cwd: folder, encoding: 'utf8', env })
  if (status === 0) return undefined
  const why = NOT_HAD.exec(stderr)
  return why ? { leftOut: `npm cannot install it here: ${why[0]}` } : { failed: `${stdout}${stderr}` }
}

const leftOut = []
await inFolder((temporary) => {
  const tarball = pack(temporary)
  for (const name of wanted.length > 0 ? wanted : names.filter((_, index) => index % shards === shard - 1)) {
    const startedAt = performance.now()
    const work = starts.has(name) ? start : run
    const problem = work(name, tarball, join(temporary, name.replace(/\W+/g, '-')))
    const seconds = `${Math.round((performance.now() - startedAt) / 1000)} s`
    if (problem?.failed !== undefined) {
      console.error(`FAILED  ${name}, ${seconds}\n${problem.failed}`)
      process.exitCode = 1
    } else if (problem) leftOut.push(`${name}: ${problem.leftOut}`)
    else console.log(`ok  ${name}, ${seconds}`)
    rmSync(join(temporary, name.replace(/\W+/g, '-')), { recursive: true, force: true })
  }
})
for (const each of leftOut) console.error(`LEFT OUT  ${each}`)
if (values.all && leftOut.length > 0) process.exitCode = 1
