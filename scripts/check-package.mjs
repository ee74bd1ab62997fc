// Packs the package, installs the tarball in an empty folder and uses it as a stranger would.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-package-'))
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

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

const FILES = {
  'package.json': '{ "private": true }',
  'use.mjs': `import { createGateway, manualClock } from 'fauxgate'\nimport { timersOn } from 'fauxgate/clock'\nimport { declareErrors, entry } from 'fauxgate/kit'\nimport { serve } from 'fauxgate/node'\n${USE}`,
  'use.cjs': `const { createGateway, manualClock } = require('fauxgate')\nconst { timersOn } = require('fauxgate/clock')\nconst { declareErrors, entry } = require('fauxgate/kit')\nconst { serve } = require('fauxgate/node')\n${USE}`,
  'use.mts': `import { createGateway, type Gateway, manualClock } from 'fauxgate'
import { timersOn } from 'fauxgate/clock'
import { declareErrors, field } from 'fauxgate/kit'
import { serve } from 'fauxgate/node'
const number: number = declareErrors({ widget_invalid: field(95000, 400) }).widget_invalid.number
const gateway: Gateway = createGateway()
const { clock } = createGateway({ clock: manualClock(0) })
clock.advance('30s')
const timers = timersOn(clock)
const slept: Promise<void> = new Promise<void>((resolve) => timers.setTimeout(resolve, 5))
const takesTimers = (from: { setTimeout: typeof setTimeout; clearInterval: typeof clearInterval; Date: DateConstructor }) => from
takesTimers(timers)
const addr: string = gateway.reservedAddrs.create({ region: 'eu' }).addr
// @ts-expect-error: there is no such region
gateway.reservedAddrs.create({ region: 5 })
export { addr, number, serve, slept }
`,
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      strict: true,
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'ESNext.Disposable'],
      types: [],
    },
    files: ['use.mts'],
  }),
}

/** From the oldest to the newest that the types are for, besides the repository's own. */
const COMPILERS = ['5.4.5', '6.0.3', '7.0.2']

const check = (name, passes) => {
  if (!passes) throw new Error(`The package fails: ${name}`)
  console.log(`ok  ${name}`)
}

/** What a user's program becomes that imports one name of the package, minified. */
async function bundled(name, entry, platform) {
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

try {
  run('npm', ['pack', '--silent', '--pack-destination', folder], root)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  const names = run('tar', ['-tzf', tarball]).trim().split('\n')
  const stray = names.filter((name) => !/^package\/(dist\/[\w.-]+|README\.md|LICENSE|package\.json)$/.test(name))
  check(
    `holds ${names.length} files and nothing that does not belong (${stray.join(', ') || 'none'})`,
    stray.length === 0,
  )
  const tool = (path, ...args) => run(process.execPath, [join(root, 'node_modules', path), ...args], root)
  tool('publint/src/cli.js', '--strict')
  check('is clean to publint', true)
  // vitest itself can only be imported, so what builds on it can only be imported too.
  const rules = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm']
  tool('@arethetypeswrong/cli/dist/index.js', join(folder, tarball), ...rules)
  check('is clean to attw', true)
  run('tar', ['-xzf', tarball])
  const sizes = names.map((name) => statSync(join(folder, name)).size)
  checkSize(
    'unpacked',
    sizes.reduce((sum, size) => sum + size, 0),
    2_500_000,
  )
  const { inspector } = await import(join(folder, 'package/dist/documents.js'))
  const page = Buffer.from(inspector, 'base64')
  checkSize('the inspector', gunzipSync(page).length, 60_000)
  checkSize('the inspector as it is sent', page.length, 21_500)
  rmSync(join(folder, 'package'), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  run('npm', ['install', '--silent', '--no-fund', '--no-audit', `./${tarball}`])
  const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))
  check('brings nothing else', installed.join() === 'fauxgate')
  run(process.execPath, ['use.mjs'])
  check('works when imported', true)
  run(process.execPath, ['use.cjs'])
  check('works when required', true)
  check('its main entry names no Node module', !/["']node:/.test(run('cat', ['node_modules/fauxgate/dist/index.js'])))
  checkSize('GatewayError alone', await bundled('GatewayError', 'fauxgate', 'browser'), 12_000)
  checkSize('createGateway', await bundled('createGateway', 'fauxgate', 'browser'), 450_000)
  await bundled('serve', 'fauxgate/node', 'node')
  checkSize('manualClock alone', await bundled('manualClock', 'fauxgate', 'browser'), 15_000)
  await bundled('timersOn', 'fauxgate/clock', 'browser')
  await bundled('certificatePair', 'fauxgate/testing', 'browser')
  await bundled('handlers', 'fauxgate/msw', 'browser')
  // The types of the kit are valibot's, which whoever has families of their own installs.
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const others = COMPILERS.map((version) => `typescript-${version}`)
  const wanted = COMPILERS.map((version) => `typescript-${version}@npm:typescript@${version}`)
  run('npm', [
    'install',
    '--silent',
    '--no-save',
    '--no-fund',
    '--no-audit',
    `valibot@${devDependencies.valibot}`,
    ...wanted,
  ])
  for (const compiler of [join(root, 'node_modules/typescript'), ...others.map((name) => join('node_modules', name))]) {
    run(process.execPath, [join(compiler, 'bin/tsc'), '-p', folder])
  }
  check(`its types stand on their own, also for TypeScript ${COMPILERS.join(', ')}`, true)
  check(
    'its command runs',
    run(join(folder, 'node_modules/.bin/fauxgate'), ['--help']).startsWith('Usage: fauxgate <command>'),
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
