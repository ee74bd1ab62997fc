// Checks clients in Go and Python that OpenAPI Generator writes from the documents. Each must compile, and call every
// operation of a served gateway. creating.mjs checks those of further generators. A driver reads lines of JSON: `operation`, the `ids` of the path in their order, the
// `named` parameters of the query and the headers, and the `body`. It writes the `status` and the `answer` as the types of
// the client have parsed it, the text of an `error`, or a `failure` of the client itself.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { manualClock } from '../../dist/index.js'
import { createNgrok } from '../../dist/ngrok.js'
import { serve } from '../../dist/node.js'
import { operationsOf } from '../../scripts/operations.mjs'
import { succeeds } from '../../scripts/shared.mjs'
import { startDriver } from '../driver.mjs'
import { createCalls } from './calls.mjs'
import { createControlCalls, DOMAIN } from './control-calls.mjs'
import { checkGenerator, GENERATOR_NAMES } from './creating.mjs'
import { makeCalls } from './session.mjs'

const GENERATOR = 'openapi-generator-cli:7.17.0'
const PYTHON = ['pydantic==2.12.5', 'python-dateutil==2.9.0.post0', 'typing-extensions==4.15.0', 'urllib3==2.6.3']
const toPath = (name) => fileURLToPath(new URL(name, import.meta.url))

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
  go(client) {
    if (!succeeds('go', 'version')) return undefined
    const options = { cwd: client, env: { ...process.env, GOFLAGS: '-mod=mod' } }
    mkdirSync(`${client}/drive`)
    copyFileSync(toPath('drive.go'), `${client}/drive/main.go`)
    run('go', ['mod', 'edit', '-module=client'], options)
    run('go', ['build', '-o', `${client}/program`, './drive'], options)
    return [`${client}/program`]
  },
}

/** The documents, each with its calls. Those of the ngrok dialect include the others. */
const DOCUMENTS = { 'openapi.ngrok': createCalls, 'openapi.ngrok.control': createControlCalls }

async function check(name, language, jar, folder) {
  const file = fileURLToPath(new URL(`../../dist/${name}.json`, import.meta.url))
  const client = `${folder}${name}-${language}`
  rmSync(client, { recursive: true, force: true })
  const omissions = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
  const generate = ['generate', '-i', file, '-g', language, '-o', client, '--global-property', omissions]
  run('java', [...SHORT_RUN, '-jar', jar, ...generate])
  const command = LANGUAGES[language](client, folder)
  if (!command) return console.warn(`LEFT OUT: generated clients in ${language}, which is missing here.`)
  const document = JSON.parse(readFileSync(file, 'utf8'))
  const gateway = createGateway()
  const server = await serve(gateway)
  const driver = startDriver([...command, server.url])
  try {
    const calls = DOCUMENTS[name](document, gateway)
    const { succeeded, problems } = await makeCalls(calls, driver, gateway)
    report(`${name}.json in ${language}`, document, succeeded, problems)
  } finally {
    driver.end()
    await server.close()
  }
}

/** Creates a gateway with what no operation creates, agents and a person with a session, and a domain with a job. */
function createGateway() {
  const gateway = createNgrok({ clock: manualClock('2025-09-04T10:11:37Z') })
  for (let n = 0; n < 2; n++) gateway.declare.tunnelSession({ endpoints: [{}], update: '3.40.0' })
  const { id } = gateway.declare.applicationUser({})
  gateway.declare.applicationSession({ user: id })
  gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: { authority: 'letsencrypt' } })
  return gateway
}

/** Prints how many operations succeeded. Throws if one was not called, or failed. */
function report(name, document, succeeded, problems) {
  const operations = operationsOf(document).map(({ operationId }) => operationId)
  const failed = operations.filter((each) => problems.has(each) || !succeeded.has(each))
  const lines = failed.map((each) => `  ${each}: ${problems.get(each) ?? 'was not called'}`)
  const counts = `${operations.length - failed.length} of ${operations.length} operations succeed`
  if (failed.length > 0) throw new Error(`${name}: ${counts}\n${lines.join('\n')}`)
  console.log(`ok  ${name}: compiles, and ${counts}`)
}

async function checkOpenApiGenerator(language, folder) {
  if (!succeeds('java', '-version')) return console.warn('LEFT OUT: generated clients. Java is missing here.')
  const jar = installGenerator(folder)
  if (!jar)
    return console.warn(`LEFT OUT: generated clients. Maven, or ${GENERATOR} from Maven Central, is missing here.`)
  for (const name of Object.keys(DOCUMENTS)) await check(name, language, jar, folder)
}

/** The languages of OpenAPI Generator, and the further generators. */
export const CLIENTS = [...Object.keys(LANGUAGES), ...GENERATOR_NAMES]

/** Generates some clients in a folder, and runs the calls of each. */
export async function checkGeneratedClients(folder, clients = CLIENTS) {
  for (const client of clients) {
    if (GENERATOR_NAMES.includes(client)) await checkGenerator(client, folder)
    else await checkOpenApiGenerator(client, folder)
  }
}
