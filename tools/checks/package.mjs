// Packs the package, installs the tarball in an empty folder, and uses it like a new user, on every version of Node.
// Needs `npm run build`. examples/workerd uses it in a Worker, and tools/checks/typescript.mjs compiles with its
// types.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { findNode, NODES } from '../../scripts/nodes.mjs'
import '../install.mjs'
import { install, root, run, withPackage, withVersions } from '../../scripts/shared.mjs'

const PROGRAM = `
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

const IMPORTED_NAMES = {
  fauxgate: '{ createGateway, manualClock }',
  'fauxgate/clock': '{ timersOn }',
  'fauxgate/kit': '{ declareErrors, entry }',
  'fauxgate/node': '{ serve }',
}
const formatImports = (formatLine) => Object.entries(IMPORTED_NAMES).map(([name, names]) => formatLine(name, names))

const FILES = {
  'use.mjs': [...formatImports((name, names) => `import ${names} from '${name}'`), PROGRAM].join('\n'),
  'use.cjs': [...formatImports((name, names) => `const ${names} = require('${name}')`), PROGRAM].join('\n'),
}

const check = (name, isOk) => {
  if (!isOk) throw new Error(`The package fails: ${name}`)
  console.log(`ok  ${name}`)
}

/**
 * Bundles and minifies a program that imports one name of the package. Returns the bytes that load with it: what it imports
 * later, such as the evaluation of policies, is in other files if the bundler splits.
 */
async function bundle(folder, name, entry, platform, splitting = false) {
  const contents = `import { ${name} } from '${entry}'\nconsole.log(${name})`
  const { metafile, warnings } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    splitting,
    outdir: 'bundle',
    metafile: true,
    platform,
    external: ['msw', 'vitest'],
    write: false,
    logLevel: 'silent',
  })
  check(`its ${name} is bundled without a warning (${warnings.map(({ text }) => text)[0] ?? 'none'})`, !warnings.length)
  const { outputs } = metafile
  const [program] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === '<stdin>')
  return [...loadedWith(program, outputs)].reduce((sum, path) => sum + outputs[path].bytes, 0)
}

/** Returns the outputs that an output imports at once. */
function loadedWith(path, outputs, found = new Set()) {
  if (found.has(path) || !outputs[path]) return found
  found.add(path)
  for (const each of outputs[path].imports) if (each.kind === 'import-statement') loadedWith(each.path, outputs, found)
  return found
}

/** Returns the files of dist that a file of it imports at once, with itself. */
function filesLoadedWith(name, dist, found = new Set()) {
  if (found.has(name)) return found
  found.add(name)
  const imports = readFileSync(join(dist, name), 'utf8').matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g)
  for (const [, imported] of imports) filesLoadedWith(imported, dist, found)
  return found
}

/** Checks what an import reads, and that a client command reads no gateway. */
function checkLoaded(dist) {
  const client = readdirSync(dist).find((name) => /^client-.*\.js$/.test(name))
  for (const [name, files, maximum] of [
    ['index.js', 8, 660_000],
    ['ngrok.js', 10, 1_100_000],
    [client, 8, 115_000],
  ]) {
    const loaded = [...filesLoadedWith(name, dist)]
    check(`${name} loads ${loaded.length} files of at most ${files}`, loaded.length <= files)
    checkSize(
      `${name} with them`,
      loaded.reduce((sum, each) => sum + statSync(join(dist, each)).size, 0),
      maximum,
    )
  }
}

const checkSize = (what, bytes, maximum) =>
  check(`${what}: ${(bytes / 1000).toFixed(1)} KB of at most ${maximum / 1000}`, bytes <= maximum)

/** Checks the files of the tarball. */
async function checkContents(folder, tarball) {
  const names = run(folder, 'tar', '-tzf', tarball).trim().split('\n')
  const stray = names.filter(
    (name) =>
      !/^package\/(dist\/[\w.-]+|docs\/[\w-]+\.md|README\.md|llms\.txt|policy\.schema\.json|LICENSE|package\.json)$/.test(
        name,
      ),
  )
  check(`holds ${names.length} files, none of them stray (${stray.join(', ') || 'none'})`, stray.length === 0)
  const named = readFileSync(join(root, 'README.md'), 'utf8').match(/(?<=`)(?:dist|docs)\/[\w.-]+(?=`)/g) ?? []
  const missing = named.filter((name) => !names.includes(`package/${name}`))
  check(
    `has the ${named.length} files that README.md names: ${named.join(', ')}`,
    named.length > 1 && missing.length === 0,
  )
  const runTool = (path, ...args) => run(root, process.execPath, join(root, 'tools/node_modules', path), ...args)
  runTool('publint/src/cli.js', '--strict')
  check('is clean to publint', true)
  // vitest can only be imported and not required, so the entry points that use it can only be imported too.
  const rules = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm']
  runTool('@arethetypeswrong/cli/dist/index.js', tarball, ...rules)
  check('is clean to attw', true)
  run(folder, 'tar', '-xzf', tarball)
  const size = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  checkSize('unpacked', size, 7_300_000)
  checkLoaded(join(folder, 'package/dist'))
  const {
    inspector,
    page: script,
    account: _account,
    ...later
  } = await import(join(folder, 'package/dist/documents.js'))
  const packed = [inspector, script].map((text) => Buffer.from(text, 'base64'))
  const sizeOf = (all) => all.reduce((sum, { length }) => sum + length, 0)
  checkSize('the inspector', sizeOf(packed.map((each) => gunzipSync(each))), 88_000)
  checkSize('the inspector when it is sent', sizeOf(packed), 32 * 1024)
  for (const [name, text] of Object.entries(later))
    checkSize(`the inspector with its part ${name}`, sizeOf([...packed, Buffer.from(text, 'base64')]), 38 * 1024)
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
  const bundleForBrowser = (name, entry) => bundle(folder, name, entry, 'browser')
  checkSize('GatewayError alone', await bundleForBrowser('GatewayError', 'fauxgate'), 12_000)
  checkSize('createGateway', await bundle(folder, 'createGateway', 'fauxgate', 'browser', true), 640_000)
  checkSize('manualClock alone', await bundleForBrowser('manualClock', 'fauxgate'), 15_500)
  await bundleForBrowser('timersOn', 'fauxgate/clock')
  await bundleForBrowser('certificatePair', 'fauxgate/testing')
  await bundleForBrowser('handlers', 'fauxgate/msw')
  await bundle(folder, 'serve', 'fauxgate/node', 'node')
}

/** The entry points, by how they load: in any program, only in vitest, Jest or workerd, or as data. */
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const ELSEWHERE = ['./vitest', './jest', './sandbox', './package.json']
const names = Object.keys(entries)
  .filter((entry) => !ELSEWHERE.includes(entry))
  .map((entry) => entry.replace('.', 'fauxgate'))

const formatExportCheck = (name, loaded) => `if (Object.keys(${loaded}).length === 0) throw new Error('${name}')`
/** Returns code that replaces Jest’s global expect, and checks that it receives the matchers. */
const formatJestCheck = (loading) => `globalThis.expect = { extend: (all) => { globalThis.matchers = all } }
${loading}
if (typeof globalThis.matchers.toHaveCertificate !== 'function') throw new Error('fauxgate/jest')`
const isData = (name) => name.endsWith('.json')
const IMPORTS = [
  ...names.filter((name) => !isData(name)).map((name) => formatExportCheck(name, `await import('${name}')`)),
  formatJestCheck(`await import('fauxgate/jest')`),
]
const REQUIRES = [
  ...names.map((name) => formatExportCheck(name, `require('${name}')`)),
  formatJestCheck(`require('fauxgate/jest')`),
]

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

const MSW_PROGRAM = `import { createGateway } from 'fauxgate'
import { handlers } from 'fauxgate/msw'
import { setupServer } from 'msw/node'
const gateway = createGateway()
const server = setupServer(...handlers(gateway))
server.listen({ onUnhandledRequest: 'error' })
const { status } = await fetch(gateway.url + '/reserved_addrs')
server.close()
if (status !== 401) throw new Error('The handlers answered ' + status)`

/** Runs the handlers on MSW 3 beside the package. MSW 3 needs Node 22.12. */
function checkNewestMsw(folder) {
  install(folder, 'msw@3')
  writeFileSync(join(folder, 'msw.mjs'), MSW_PROGRAM)
  for (const major of NODES.filter((each) => Number(each) >= 22)) {
    const { path, version } = findNode(major)
    run(folder, path, 'msw.mjs')
    check(`MSW 3 answers by the handlers on Node ${version}`, true)
  }
}

await withPackage(async (folder, tarball) => {
  await checkContents(folder, tarball)
  rmSync(join(folder, 'package'), { recursive: true })
  install(folder, tarball)
  await checkUse(folder)
  await checkBundles(folder)
  checkNodes(folder)
  checkNewestMsw(folder)
})
