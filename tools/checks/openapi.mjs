// Checks the OpenAPI documents of the built package with other tools: `node tools/checks/openapi.mjs [CLIENT]`. These are a
// linter, a client of the types, which must compile strictly and work, the generated client of that name or each of them if
// its generator is there, and a fuzzer if Python and its package are installed.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createGateway, manualClock } from '../../dist/index.js'
import { serve } from '../../dist/node.js'
import '../install.mjs'
import { root, succeeds } from '../../scripts/shared.mjs'
import { CLIENTS, checkGeneratedClients } from '../generated-clients/index.mjs'

const folder = `${root}/tools/node_modules/.cache/fauxgate-openapi/`
mkdirSync(folder, { recursive: true })

const DOCUMENTS = ['openapi', 'openapi.control', 'openapi.ngrok', 'openapi.ngrok.control'].map(
  (name) => `${root}/dist/${name}.json`,
)

const SEED = '20260101'
const SECONDS = 20
const FUZZER = 'schemathesis==4.32.0'

const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], ...options })
const runTool = (path, ...args) => run(process.execPath, [`${root}/${path}`, ...args])

const CLIENT = `
import createClient from 'openapi-fetch'
import type { paths } from './service.js'

export async function use(baseUrl: string): Promise<string> {
  const client = createClient<paths>({
    baseUrl,
    headers: { Authorization: 'Bearer key', 'Service-Version': '2' },
  })
  const params = { header: { 'Service-Version': '2' } } as const
  const { data, error } = await client.POST('/reserved_domains', {
    params,
    body: { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } },
  })
  if (!data) throw new Error(error.msg)
  // @ts-expect-error: a name is a text
  await client.POST('/reserved_domains', { params, body: { domain: 5 } })
  const page = await client.GET('/reserved_domains', { params: { ...params, query: { limit: 1 } } })
  const first: string | undefined = page.data?.reserved_domains[0]?.domain
  const gone = await client.GET('/reserved_domains/{id}', { params: { ...params, path: { id: 'rd_gone' } } })
  const code: string | undefined = gone.error?.error_code
  return [data.domain, first, code].join()
}
`

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    types: [],
    skipLibCheck: true,
    outDir: 'out',
  },
  files: ['client.ts'],
}

function lint() {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const args = [`${root}/tools/node_modules/@redocly/cli/bin/cli.js`, 'lint', ...DOCUMENTS]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
  if (status !== 0 || /\d+ warning/.test(stderr)) throw new Error(`The linter says:\n${stdout}${stderr}`)
  console.log('ok  the linter has nothing to say')
}

async function compileAndUse() {
  writeFileSync(`${folder}package.json`, '{ "type": "module" }')
  runTool('tools/node_modules/openapi-typescript/bin/cli.js', `${root}/dist/openapi.json`, '-o', 'service.d.ts')
  writeFileSync(`${folder}client.ts`, CLIENT)
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify(TSCONFIG))
  runTool('node_modules/typescript-7/bin/tsc', '-p', '.')
  console.log('ok  a client of its types compiles')
  const server = await serve(createGateway({ clock: manualClock(0) }))
  const { use } = await import(`${folder}out/client.js`)
  const received = await use(server.url)
  await server.close()
  if (received !== 'app.example.com,app.example.com,ERR_GATEWAY_90404') throw new Error(`The client got ${received}.`)
  console.log('ok  the client works')
}

/** Installs the fuzzer in its own environment. Returns undefined if it cannot be installed. */
function installFuzzer() {
  const command = `${folder}venv/bin/schemathesis`
  const isInstalled = () => succeeds(command, '--version')
  if (isInstalled()) return command
  succeeds('python3', '-m', 'venv', '--clear', `${folder}venv`)
  succeeds(`${folder}venv/bin/pip`, 'install', '-q', FUZZER)
  return isInstalled() ? command : undefined
}

async function fuzz() {
  const command = installFuzzer()
  if (!command) return console.warn(`LEFT OUT: the fuzzer. Python with venv, or ${FUZZER} from PyPI, is missing here.`)
  const gateway = createGateway({ keys: ['key'], seed: SEED, clock: manualClock('2026-01-01T00:00:00Z') })
  const server = await serve(gateway)
  const report = `${folder}report.ndjson`
  const limits = ['--seed', SEED, '--max-time', `${SECONDS}`, '--continue-on-failure', '--generation-database', 'none']
  const headers = ['-H', 'Authorization: Bearer key', '-H', 'Service-Version: 2']
  const output = ['--report', 'ndjson', '--report-ndjson-path', report, '--no-color']
  const document = `${server.url}/_fauxgate/openapi.json`
  const args = ['run', document, '--url', server.url, ...limits, ...headers, ...output]
  await once(spawn(command, args, { cwd: folder, stdio: 'ignore' }), 'exit')
  await server.close()
  compareWithBaseline(readFileSync(report, 'utf8').trim().split('\n').map(JSON.parse))
}

/** Checks that the baseline lists every failure, by its response, with the reason why the failure is not a bug. */
function compareWithBaseline(events) {
  const known = JSON.parse(readFileSync(new URL('openapi-baseline.json', import.meta.url), 'utf8'))
  const recorders = events.flatMap(({ ScenarioFinished: scenario }) => scenario?.recorder ?? [])
  const checks = recorders.flatMap(({ label: operation, checks = {}, interactions }) =>
    Object.entries(checks).flatMap(([id, results]) =>
      results.map(({ name, status }) => ({ operation, check: name, status, ...describeResponse(interactions[id]) })),
    ),
  )
  if (checks.length < 1000) throw new Error(`The fuzzer made ${checks.length} checks. Expected are thousands.`)
  const isKnown = ({ check, operation, key, text }) =>
    known.some(
      (each) =>
        each.check === check &&
        new RegExp(each.operation).test(operation) &&
        each.errors.includes(key) &&
        text.includes(each.text ?? ''),
    )
  const unknown = checks.filter((each) => each.status !== 'success' && !isKnown(each))
  for (const { operation, check, key, text } of unknown)
    console.error(`${operation}, ${check}: ${key}, ${text.slice(0, 300)}`)
  if (unknown.length > 0) throw new Error(`${unknown.length} failures are not in tools/checks/openapi-baseline.json.`)
  console.log(`ok  the fuzzer found nothing new in ${checks.length} checks of ${recorders.length} scenarios`)
}

/** Returns the key of a response's error, or its status if it has none, and the text of the response. */
function describeResponse(interaction) {
  const { status_code: status, content } = interaction?.response ?? {}
  const text = Buffer.from(content?.$base64 ?? '', 'base64').toString()
  const code = /"error_code":"([^"]+)"/.exec(text)?.[1]
  return { key: keys.get(code) ?? `status ${status}`, text }
}

/** The keys of errors, by the codes in responses. */
const { examples } = JSON.parse(readFileSync(`${root}/dist/openapi.json`, 'utf8')).components
const keys = new Map(Object.entries(examples).map(([key, { summary }]) => [summary, key]))

const [client] = process.argv.slice(2).filter((each) => !each.startsWith('--'))
if (client !== undefined && !CLIENTS.includes(client))
  throw new Error(`"${client}" is not a generated client. The clients are ${CLIENTS.join(', ')}.`)
lint()
await compileAndUse()
await checkGeneratedClients(folder, client && [client])
if (!process.argv.includes('--no-fuzz')) await fuzz()
