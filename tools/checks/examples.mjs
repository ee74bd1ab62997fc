// Runs the examples, and fails if one fails: `node tools/checks/examples.mjs [--packed] [--all] [--shard=1/2] [name…]`.
// With --packed, it runs the examples with packages of their own, and each part of docs/runners.md, such as
// "start: Bun". Each runs in its own folder with the packed package. Examples that cannot be installed or run here
// are skipped, and listed at the end; with --all that is a failure. Needs `npm run build`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import '../install.mjs'
import { inFolder, pack, root, succeeds, vitest } from '../../scripts/shared.mjs'

const { values, positionals: requestedNames } = parseArgs({
  options: { packed: { type: 'boolean' }, all: { type: 'boolean' }, shard: { type: 'string', default: '1/1' } },
  allowPositionals: true,
})
const [shard, shards] = values.shard.split('/').map(Number)
const examples = join(root, 'examples')

/** The error codes of npm if its registry lacks a package, or lacks its build for this platform. */
const UNAVAILABLE = /\b(E404|ETARGET|EBADPLATFORM|ENOTFOUND|EAI_AGAIN|ECONNREFUSED)\b/

/** Runs a command. Returns undefined if it passes, else the reason. A command that `installs` may be skipped. */
function runCommand([command, ...args], options, installs = false) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (status === 0) return undefined
  const code = installs && UNAVAILABLE.exec(stderr)
  return code ? { leftOut: `npm cannot install it here: ${code[0]}` } : { failed: `${stdout}${stderr}` }
}

const node = (...args) => [process.execPath, ...args]
const testsOfVitest = node(vitest, 'run', '--root', '.')

/** The reference implementation of the format of compose.yaml, for those who have Go. */
const COMPOSE_VALIDATOR = 'go run github.com/compose-spec/compose-go/v2/cmd@v2.9.0'

/** The examples that are folders, each with a command that it needs and its steps. `to` is an empty folder. */
const FOLDERS = {
  // test/server/ngrok-script.test.ts runs all that it does.
  agent: { needs: ['sh', '-c', 'true'], steps: () => [['sh', 'ngrok.sh', 'version']] },
  connect: { steps: () => [testsOfVitest] },
  'msw-migration': { steps: () => [testsOfVitest] },
  'own-family': { steps: () => [testsOfVitest] },
  previews: { steps: () => [testsOfVitest] },
  jest: { steps: () => [node(join(root, 'tools/node_modules/jest/bin/jest.js'), '--rootDir', '.')] },
  'node-test': { steps: () => [node('--test')] },
  vitest: { steps: () => [testsOfVitest] },
  python: {
    needs: ['python3', '-c', 'import venv, ensurepip'],
    steps: (to) => [
      ['python3', '-m', 'venv', to],
      [join(to, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
      [join(to, 'bin/python'), '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
    ],
  },
  compose: {
    needs: ['python3', '--version'],
    steps: () => [
      node(join(root, 'tools/compose.mjs')),
      ...(succeeds('go', 'version')
        ? [['sh', '-c', `${COMPOSE_VALIDATOR} -no-interpolation compose.yaml > /dev/null`]]
        : []),
    ],
  },
  go: {
    // This fails for a Go that is older than its client needs, too.
    needs: ['go', '-C', join(examples, 'go'), 'list', '-m'],
    steps: () => [
      ['go', 'vet', './...'],
      ['go', 'test', '-count=1', './...'],
    ],
  },
}

/** Runs an example with the packages of this repository. */
function runPlain(name, folder) {
  const isFile = name.endsWith('.mjs')
  const { needs, steps } = isFile ? { steps: () => [node(name)] } : (FOLDERS[name] ?? {})
  if (!steps) throw new Error(`Nothing runs examples/${name}. Add it to the folders of tools/checks/examples.mjs.`)
  if (needs && !succeeds(...needs)) return { leftOut: `this does not work here: ${needs.join(' ')}` }
  const env = { ...process.env, FAUXGATE: node(join(root, 'dist/cli.js')).join(' '), PYTHONDONTWRITEBYTECODE: '1' }
  const options = { cwd: isFile ? examples : join(examples, name), env }
  return steps(folder).reduce((problem, step) => problem ?? runCommand(step, options), undefined)
}

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome']
const folders = (process.env.PATH ?? '').split(delimiter)
const chromium =
  process.env.CHROMIUM ?? folders.flatMap((place) => BROWSERS.map((name) => join(place, name))).find(existsSync)

/** Returns the command that compiles the TypeScript of an example with packages of its own. */
const compileFiles = (files) => {
  const lib = 'ES2023,DOM,DOM.Iterable,ESNext.Disposable'
  const modules = ['--module', 'ESNext', '--moduleResolution', 'Bundler', '--allowImportingTsExtensions']
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'ES2022', '--lib', lib, ...modules, ...types]
  return node(join(root, 'node_modules/typescript-7/bin/tsc'), ...options, ...files)
}

/** Runs an example with the packed package. */
function runPacked(name, folder, tarball) {
  const manifest = JSON.parse(readFileSync(join(examples, name, 'package.json'), 'utf8'))
  const needsBrowser = Object.keys(manifest.devDependencies).some((each) => each.includes('playwright'))
  if (needsBrowser && !chromium) return { leftOut: 'there is no Chromium on this machine; name one in CHROMIUM' }
  cpSync(join(examples, name), folder, { recursive: true })
  manifest.devDependencies.fauxgate = `file:${tarball}`
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const options = { cwd: folder, env: { ...process.env, CHROMIUM: chromium } }
  const install = ['npm', 'install', '--no-fund', '--no-audit', '--loglevel=error']
  // Bun and Deno have their own types.
  const sources = readdirSync(folder).filter((file) => file.endsWith('.ts') && !/^(bun|deno)$/.test(name))
  const compile = () => (sources.length > 0 ? runCommand(compileFiles(sources), options) : undefined)
  return runCommand(install, options, true) ?? compile() ?? runCommand(['npm', 'test'], options)
}

/** The commands of each part of the guide, by the name of the part. */
const starts = new Map(
  readFileSync(join(root, 'docs/runners.md'), 'utf8')
    .split(/^##+ /m)
    .flatMap((part) => {
      const commands = [...part.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block)
      return commands.length === 0 ? [] : [[`start: ${part.split('\n', 1)}`, commands.join('')]]
    }),
)

/** The runners, from npm, that a part of the guide expects. */
const RUNNERS = { 'start: Bun': 'bun', 'start: Deno': 'deno' }

/** Runs the commands of one part of the guide. */
function runStart(name, folder, tarball) {
  const tools = join(folder, '..', 'tools')
  const install = ['npm', 'install', '--prefix', tools, '--no-fund', '--no-audit', '--loglevel=error', RUNNERS[name]]
  const commands = starts.get(name).replaceAll('--save-dev ./fauxgate-0.1.0.tgz', `--save-dev ${tarball}`)
  const PATH = [join(tools, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const env = { ...process.env, PATH, CI: '1', npm_config_loglevel: 'error' }
  const missing = RUNNERS[name] && runCommand(install, {}, true)
  return missing ?? runCommand(['sh', '-e', '-c', commands], { cwd: folder, env }, true)
}

const isPacked = (name) => starts.has(name) || existsSync(join(examples, name, 'package.json'))
const shown = readdirSync(examples).filter((name) => name !== 'README.md')
const names = [...shown, ...starts.keys()].filter((name) => isPacked(name) === Boolean(values.packed))
const unknown = requestedNames.filter((name) => !names.includes(name))
if (unknown.length > 0) throw new Error(`There is no example ${unknown.join(', ')}. There are ${names.join(', ')}.`)

const leftOut = []
await inFolder((temporary) => {
  const tarball = values.packed && pack(temporary)
  for (const name of requestedNames.length > 0
    ? requestedNames
    : names.filter((_, index) => index % shards === shard - 1)) {
    const startedAt = performance.now()
    const folder = join(temporary, name.replace(/\W+/g, '-'))
    mkdirSync(folder)
    const work = starts.has(name) ? runStart : values.packed ? runPacked : runPlain
    const problem = work(name, folder, tarball)
    const seconds = `${Math.round((performance.now() - startedAt) / 1000)} s`
    if (problem?.failed !== undefined) {
      console.error(`FAILED  ${name}, ${seconds}\n${problem.failed}`)
      process.exitCode = 1
    } else if (problem) leftOut.push(`${name}: ${problem.leftOut}`)
    else console.log(`ok  ${name}, ${seconds}`)
    rmSync(folder, { recursive: true })
  }
})
for (const each of leftOut) console.error(`LEFT OUT  ${each}`)
if (values.all && leftOut.length > 0) process.exitCode = 1
