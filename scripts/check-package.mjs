// Packs the package, installs the tarball in an empty folder, and uses it like a new user, on every version of Node.
// Needs `npm run build`. examples/workerd uses it in a Worker, and scripts/check-typescript.mjs compiles with its types.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { findNode, NODES } from './nodes.mjs'
import { install, root, run, withPackage, withVersions } from './shared.mjs'

const USE = `
const gateway = createGateway({ seed: 'x', clock: manualClock(0) })
let fired = 0
timersOn(gateway.clock).setTimeout(() => fired++, 30_000)
gateway.clock.advance('30s')
if (fired !== 1) throw new Error('no timer')
const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
if (gateway.reservedDomains.get(id).domain !== 'app.example.com') throw new Error('no domain')
if (declareErrors({ widget_taken: entry(95000, 409, () => 'taken') }).widget_taken.key !== 'widget_taken') throw new Error('no kit')
serve(gateway).then((server) => server.close())
`

const USED = {
  fauxgate: '{ createGateway, manualClock }',
  'fauxgate/clock': '{ timersOn }',
  'fauxgate/kit': '{ declareErrors, entry }',
  'fauxgate/node': '{ serve }',
}
const beginning = (lineOf) => Object.entries(USED).map(([name, names]) => lineOf(name, names))

const FILES = {
  'use.mjs': [...beginning((name, names) => `import ${names} from '${name}'`), USE].join('\n'),
  'use.cjs': [...beginning((name, names) => `const ${names} = require('${name}')`), USE].join('\n'),
}

const check = (name, passes) => {
  if (!passes) throw new Error(`The package fails: ${name}`)
  console.log(`ok  ${name}`)
}

/** Bundles and minifies a program that imports one name of the package. Returns its size in bytes. */
async function bundled(folder, name, entry, platform) {
  const contents = `import { ${name} } from '${entry}'\nconsole.log(${name})`
  const { outputFiles, warnings } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    external: ['msw', 'vitest'],
    write: false,
    logLevel: 'silent',
  })
  check(`its ${name} is bundled without a warning (${warnings.map(({ text }) => text)[0] ?? 'none'})`, !warnings.length)
  return outputFiles[0].contents.length
}

const checkSize = (what, bytes, most) =>
  check(`${what}: ${(bytes / 1000).toFixed(1)} KB of at most ${most / 1000}`, bytes <= most)

/** Checks which files the tarball has. */
async function checkContents(folder, tarball) {
  const names = run(folder, 'tar', '-tzf', tarball).trim().split('\n')
  const stray = names.filter(
    (name) => !/^package\/(dist\/[\w.-]+|docs\/[\w-]+\.md|README\.md|llms\.txt|LICENSE|package\.json)$/.test(name),
  )
  check(`holds ${names.length} files, none of them stray (${stray.join(', ') || 'none'})`, stray.length === 0)
  const tool = (path, ...args) => run(root, process.execPath, join(root, 'node_modules', path), ...args)
  tool('publint/src/cli.js', '--strict')
  check('is clean to publint', true)
  // vitest can only be imported and not required, so the entry points that use it can only be imported too.
  const rules = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm']
  tool('@arethetypeswrong/cli/dist/index.js', tarball, ...rules)
  check('is clean to attw', true)
  run(folder, 'tar', '-xzf', tarball)
  const size = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  checkSize('unpacked', size, 3_900_000)
  const { inspector } = await import(join(folder, 'package/dist/documents.js'))
  const page = Buffer.from(inspector, 'base64')
  checkSize('the inspector', gunzipSync(page).length, 85_000)
  checkSize('the inspector when it is sent', page.length, 30 * 1024)
}

async function checkUse(folder) {
  const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))
  check('brings nothing else', installed.join() === 'fauxgate')
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  for (const name of ['use.mjs', 'use.cjs']) run(folder, process.execPath, name)
  check('works when imported and when required', true)
  const main = readFileSync(join(folder, 'node_modules/fauxgate/dist/index.js'), 'utf8')
  check('its main entry names no Node module', !/["']node:/.test(main))
  const command = join(folder, 'node_modules/.bin/fauxgate')
  check('its command runs', run(folder, command, '--help').startsWith('Usage: fauxgate <command>'))
}

async function checkBundles(folder) {
  const inBrowser = (name, entry) => bundled(folder, name, entry, 'browser')
  checkSize('GatewayError alone', await inBrowser('GatewayError', 'fauxgate'), 12_000)
  checkSize('createGateway', await inBrowser('createGateway', 'fauxgate'), 450_000)
  checkSize('manualClock alone', await inBrowser('manualClock', 'fauxgate'), 15_000)
  await inBrowser('timersOn', 'fauxgate/clock')
  await inBrowser('certificatePair', 'fauxgate/testing')
  await inBrowser('handlers', 'fauxgate/msw')
  await bundled(folder, 'serve', 'fauxgate/node', 'node')
}

/** The entry points, by how they load: in any program, only in vitest, Jest or workerd, or as data. */
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const ELSEWHERE = ['./vitest', './jest', './sandbox', './package.json']
const names = Object.keys(entries)
  .filter((entry) => !ELSEWHERE.includes(entry))
  .map((entry) => entry.replace('.', 'fauxgate'))

const notEmpty = (name, loaded) => `if (Object.keys(${loaded}).length === 0) throw new Error('${name}')`
/** Replaces Jest’s global expect, and checks that it receives the matchers. */
const withJest = (loading) => `globalThis.expect = { extend: (all) => { globalThis.given = all } }
${loading}
if (typeof globalThis.given.toHaveCertificate !== 'function') throw new Error('fauxgate/jest')`
const isData = (name) => name.endsWith('.json')
const IMPORTS = [
  ...names.filter((name) => !isData(name)).map((name) => notEmpty(name, `await import('${name}')`)),
  withJest(`await import('fauxgate/jest')`),
]
const REQUIRES = [...names.map((name) => notEmpty(name, `require('${name}')`)), withJest(`require('fauxgate/jest')`)]

/** Loads every entry point on every version of Node. */
function checkNodes(folder) {
  install(folder, ...withVersions('msw'))
  writeFileSync(join(folder, 'all.mjs'), IMPORTS.join('\n'))
  writeFileSync(join(folder, 'all.cjs'), REQUIRES.join('\n'))
  for (const major of NODES) {
    const { path, version } = findNode(major)
    for (const file of ['all.mjs', 'all.cjs']) run(folder, path, file)
    check(`loads on Node ${version}, imported and required`, true)
  }
}

await withPackage(async (folder, tarball) => {
  await checkContents(folder, tarball)
  rmSync(join(folder, 'package'), { recursive: true })
  install(folder, tarball)
  await checkUse(folder)
  await checkBundles(folder)
  checkNodes(folder)
})
