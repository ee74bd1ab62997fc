// Checks clients in Go and Python that OpenAPI Generator writes from the documents. Each must compile, and create,
// list, change and delete in every family of a served gateway.
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { manualClock } from '../../dist/index.js'
import { createNgrok } from '../../dist/ngrok.js'
import { serve } from '../../dist/node.js'
import { certificatePair } from '../../dist/testing.js'
import { createSample } from '../../scripts/generate/reference/examples.mjs'
import { operationsOf } from '../../scripts/operations.mjs'
import { succeeds } from '../../scripts/shared.mjs'

const GENERATOR = 'openapi-generator-cli:7.17.0'
const PYTHON = ['pydantic==2.12.5', 'python-dateutil==2.9.0.post0', 'typing-extensions==4.15.0', 'urllib3==2.6.3']
const toPath = (name) => fileURLToPath(new URL(name, import.meta.url))

const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEH3IY4s2cSOuKj63wdOpGLQRkEbBGYbddAi683q3ewX ci'
const POLICY_IDS = { ip_policy_ids: ['@ip_policies'] }

/**
 * The bodies of creations and replacements for which an example of the schema is invalid. `@vaults` is the id of the
 * created vault.
 */
const BODIES = {
  tls_certificates: certificatePair(),
  endpoints: { url: 'https://app.internal', traffic_policy: 'on_http_request: [{ actions: [{ type: deny }] }]' },
  ip_policy_rules: { cidr: '192.0.2.0/24', ip_policy_id: '@ip_policies', action: 'allow' },
  service_users: { name: 'service' },
  ssh_credentials: { public_key: SSH_KEY },
  vault_secrets: { name: 'password', value: 'x', vault_id: '@vaults' },
  route_ip_restriction: POLICY_IDS,
  tcp_edge_ip_restriction: POLICY_IDS,
  tls_edge_ip_restriction: POLICY_IDS,
}

const VERBS = ['create', 'replace', 'get', 'list', 'update', 'delete']

/** Creates the calls for a document: creations first, and deletions last, the newest resource first. */
function createCalls(document) {
  const { components } = document
  const version = components.parameters.version.name
  const operations = operationsOf(document)
  const familiesWith = (verbs) =>
    operations.filter(({ operationId }) => verbs.test(operationId)).map(({ tags }) => tags[0])
  const [existing, created] = [familiesWith(/\.(create|replace)$/), familiesWith(/\.create$/)]
  const calls = operations.flatMap(({ path, operationId, tags: [family], parameters, requestBody }) => {
    const verb = operationId.slice(family.length + 1)
    if (!VERBS.includes(verb) || (verb !== 'list' && !existing.includes(family))) return []
    const order = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const pattern = (name) => parameters.find((each) => each.name === name).schema.pattern
    const isOwn = (name) => name === 'id' && created.includes(family)
    const isOfRoute = family === 'https_edge_routes'
    const other = (name) => (isOfRoute ? '@https_edges' : `${/[a-z]+/.exec(pattern(name))}_1`)
    const idOf = (name) => (isOwn(name) ? `@${family}` : other(name))
    const schema = requestBody?.content['application/json'].schema.$ref.split('/').at(-1)
    const body = schema && createBody(family, verb, components.schemas[schema], document)
    const ids = Object.fromEntries(order.map((name) => [name, idOf(name)]))
    const saved = verb === 'create' ? { saved: family } : {}
    return { operation: operationId, verb, version, ids, order, ...saved, ...(schema && { schema, body }) }
  })
  const filterByVerb = (verb) => calls.filter((each) => each.verb === verb)
  return VERBS.flatMap((verb) => (verb === 'delete' ? filterByVerb(verb).reverse() : filterByVerb(verb)))
}

/** Creates the body of a call, from the example of its schema unless that is invalid. */
function createBody(family, verb, schema, document) {
  if (verb !== 'update') return BODIES[family] ?? createSample(schema, document)
  return { [schema.properties.description ? 'description' : 'name']: `changed ${family}` }
}

const run = (command, args, options = {}) => {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${error ?? ''}${stdout}${stderr}`)
  return stdout
}

/** Options with which Java starts fast and optimizes little, because each run takes only some seconds. */
const SHORT_RUN = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

/** Returns the generator's jar, which Maven installs once; undefined if that fails. */
function installGenerator(folder) {
  const jar = `${folder}${GENERATOR.replace(':', '-')}.jar`
  if (existsSync(jar)) return jar
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
  const artifact = `-Dartifact=org.openapitools:${GENERATOR}`
  succeeds('mvn', '-q', '-B', `-Dmaven.repo.local=${folder}maven`, copy, artifact, `-DoutputDirectory=${folder}`)
  return existsSync(jar) ? jar : undefined
}

/** Prepares a client's folder, and returns the command that makes calls; undefined if the language is missing. */
const LANGUAGES = {
  python(client, folder) {
    const python = `${folder}python/bin/python`
    if (!existsSync(python) && !succeeds('python3', '-m', 'venv', `${folder}python`)) return undefined
    run(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...PYTHON])
    return [python, toPath('drive.py'), client]
  },
  go(client, _folder, hasCalls) {
    if (!succeeds('go', 'version')) return undefined
    const options = { cwd: client, env: { ...process.env, GOFLAGS: '-mod=mod' } }
    if (!hasCalls) {
      run('go', ['build', './...'], options)
      return ['true']
    }
    mkdirSync(`${client}/drive`)
    copyFileSync(toPath('drive.go'), `${client}/drive/main.go`)
    run('go', ['mod', 'edit', '-module=client'], options)
    run('go', ['build', '-o', `${client}/program`, './drive'], options)
    return [`${client}/program`]
  },
}

/** The documents that each language reads. The documents of the ngrok dialect include the others. */
const DOCUMENTS = { python: ['openapi.ngrok'], go: ['openapi.ngrok', 'openapi.ngrok.control'] }

async function check(name, language, jar, folder) {
  const document = fileURLToPath(new URL(`../../dist/${name}.json`, import.meta.url))
  const client = `${folder}${name}-${language}`
  rmSync(client, { recursive: true, force: true })
  const hasCalls = !name.endsWith('.control')
  const omissions = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
  const generate = ['generate', '-i', document, '-g', language, '-o', client, '--global-property', omissions]
  run('java', [...SHORT_RUN, '-jar', jar, ...generate])
  const command = LANGUAGES[language](client, folder, hasCalls)
  if (!command) return console.warn(`LEFT OUT: generated clients in ${language}, which is missing here.`)
  const calls = hasCalls ? createCalls(JSON.parse(readFileSync(document, 'utf8'))) : []
  writeFileSync(`${client}/calls.json`, JSON.stringify(calls))
  const server = await serve(createNgrok({ clock: manualClock(0) }))
  const [program, ...before] = command
  const args = [...before, server.url, `${client}/calls.json`]
  const { code = 0, stdout, stderr } = await promisify(execFile)(program, args).catch((error) => error)
  await server.close()
  const count = stdout.split('\n').length - 1
  if (code !== 0 || count !== calls.length) {
    throw new Error(`${name} in ${language}: failed at ${JSON.stringify(calls[count])}: ${stderr}`)
  }
  console.log(`ok  ${name}.json in ${language}: compiles, and makes ${count} calls`)
}

/** Generates the clients in a folder, and runs the calls of each. */
export async function checkGeneratedClients(folder) {
  if (!succeeds('java', '-version')) return console.warn('LEFT OUT: generated clients. Java is missing here.')
  const jar = installGenerator(folder)
  if (!jar)
    return console.warn(`LEFT OUT: generated clients. Maven, or ${GENERATOR} from Maven Central, is missing here.`)
  for (const [language, names] of Object.entries(DOCUMENTS)) {
    for (const name of names) await check(name, language, jar, folder)
  }
}
