// Checks the clients that further generators write from the document of the dialect ngrok. Each must have every operation,
// compile strictly, and create a domain of a served gateway.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { manualClock } from '../../dist/index.js'
import { createNgrok } from '../../dist/ngrok.js'
import { serve } from '../../dist/node.js'
import { findNode } from '../../scripts/nodes.mjs'
import { operationsOf } from '../../scripts/operations.mjs'
import { root, succeeds } from '../../scripts/shared.mjs'
import { runAsync } from './run.mjs'

const DOCUMENT = `${root}/dist/openapi.ngrok.json`
const DOMAIN = 'app.example.com'
const toPath = (name) => fileURLToPath(new URL(name, import.meta.url))

const PYTHON_CLIENT = 'openapi-python-client==0.29.1'
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0'
const OAPI_RUNTIME = 'github.com/oapi-codegen/runtime@v1.9.0'
const ORVAL = 'orval@8.38.0'

/**
 * The generators. `install` returns whether the generator is there. `create` writes a client into an empty folder, and
 * creates the domain with it; it returns what the program printed. `count` returns the number of the client's operations.
 */
const GENERATORS = {
  'openapi-python-client': {
    packages: PYTHON_CLIENT,
    install(tools) {
      if (existsSync(`${tools}/bin/openapi-python-client`)) return true
      return succeeds('python3', '-m', 'venv', tools) && succeeds(`${tools}/bin/pip`, 'install', '-q', PYTHON_CLIENT)
    },
    async create(tools, client, url) {
      const options = ['--path', DOCUMENT, '--output-path', `${client}/client`, '--meta', 'none']
      await runAsync(`${tools}/bin/openapi-python-client`, ['generate', ...options])
      return runAsync(`${tools}/bin/python`, [toPath('create.py'), client, url])
    },
    count: (client) =>
      readdirSync(`${client}/client/api`, { recursive: true }).filter((each) => /[a-z]\.py$/.test(each)).length,
  },
  'oapi-codegen': {
    packages: OAPI_CODEGEN,
    install(tools) {
      if (existsSync(`${tools}/oapi-codegen`)) return true
      return succeeds('env', `GOBIN=${tools}`, 'go', 'install', OAPI_CODEGEN)
    },
    async create(tools, client, url) {
      const go = (...args) => runAsync('go', args, { cwd: client })
      mkdirSync(`${client}/api`)
      copyFileSync(toPath('create.go'), `${client}/main.go`)
      const options = ['-generate', 'types,client', '-package', 'api', '-o', `${client}/api/api.go`]
      await runAsync(`${tools}/oapi-codegen`, [...options, DOCUMENT])
      await go('mod', 'init', 'client')
      await go('get', OAPI_RUNTIME)
      await go('build', '-mod=mod', '-o', 'create', '.')
      return runAsync(`${client}/create`, [url])
    },
    count: (client) => readFileSync(`${client}/api/api.go`, 'utf8').match(/^func Parse\w+Response\(/gm).length,
  },
  orval: {
    packages: ORVAL,
    install(tools) {
      if (existsSync(`${tools}/node_modules/orval`)) return true
      return succeeds('npm', 'install', '--silent', '--no-fund', '--no-audit', '--prefix', tools, ORVAL)
    },
    async create(tools, client, url) {
      // The generator reads this file too, for the endings of its imports.
      writeFileSync(`${client}/tsconfig.json`, JSON.stringify(TSCONFIG))
      const output = { target: 'api.ts', schemas: 'model', client: 'fetch', baseUrl: url }
      const config = { api: { input: DOCUMENT, output } }
      writeFileSync(`${client}/orval.config.cjs`, `module.exports = ${JSON.stringify(config)}`)
      const generate = [`${tools}/node_modules/orval/dist/bin/orval.mjs`, '--config', 'orval.config.cjs']
      // Node 20 lacks what this generator needs.
      await runAsync(findNode('24').path, generate, { cwd: client })
      writeFileSync(`${client}/create.ts`, USE_OF_ORVAL)
      await runAsync(process.execPath, [`${root}/node_modules/typescript-7/bin/tsc`, '-p', client])
      const outfile = `${client}/create.mjs`
      buildSync({ entryPoints: [`${client}/create.ts`], outfile, bundle: true, format: 'esm' })
      return runAsync(process.execPath, [outfile])
    },
    count: (client) => readFileSync(`${client}/api.ts`, 'utf8').match(/^export const \w+ = async /gm).length,
  },
}

const USE_OF_ORVAL = `import { reservedDomainsCreate } from './api'

const headers = { Authorization: 'Bearer key', 'Ngrok-Version': '2' }
const { data } = await reservedDomainsCreate({ domain: 'app.example.com' }, { headers })
if (!('domain' in data)) throw new Error(data.msg)
console.log(data.domain)
`

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'ESNext',
    moduleResolution: 'Bundler',
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    typeRoots: [`${root}/node_modules/@types`],
    types: ['node'],
  },
  files: ['create.ts'],
}

export const GENERATOR_NAMES = Object.keys(GENERATORS)

/** Checks the client of one generator, in its own folder below a folder. */
export async function checkGenerator(name, folder) {
  const { packages, install, create, count } = GENERATORS[name]
  const tools = `${folder}${name}`
  mkdirSync(tools, { recursive: true })
  if (!install(tools))
    return console.warn(`LEFT OUT: the client of ${name}. Its language, or ${packages}, is missing here.`)
  const client = `${folder}client-of-${name}`
  rmSync(client, { recursive: true, force: true })
  mkdirSync(client)
  const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z') })
  const server = await serve(gateway)
  const printed = await create(tools, client, server.url).finally(() => server.close())
  const domains = gateway.reservedDomains.list().reserved_domains.map(({ domain }) => domain)
  if (printed.trim() !== DOMAIN || `${domains}` !== DOMAIN)
    throw new Error(`${name}: the client printed ${printed}, and the gateway has the domains ${domains}.`)
  const operations = operationsOf(JSON.parse(readFileSync(DOCUMENT, 'utf8'))).length
  if (count(client) !== operations)
    throw new Error(`${name}: the client has ${count(client)} of ${operations} operations.`)
  console.log(`ok  ${name}: compiles, has ${operations} operations, and creates a domain`)
}
