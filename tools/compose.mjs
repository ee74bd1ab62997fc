// Starts the services of examples/compose without Docker: it runs the same commands in processes of this machine, and
// replaces the host names of services by ports of this machine. Health checks and conditions apply as in Docker.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load as parse } from 'js-yaml'
import { ownPort } from '../scripts/own-port.mjs'

const folder = fileURLToPath(new URL('../examples/compose/', import.meta.url))
const command = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'))

const ports = { 4747: await ownPort(), 8080: await ownPort() }
const bin = mkdtempSync(join(tmpdir(), 'fauxgate-compose-'))
const writeProgram = (name, line) => writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
writeProgram('npm', 'exit 0')
writeProgram('fauxgate', `exec "${process.execPath}" "${command}" "$@"`)

/** Replaces the host names in a text of the file by this machine's ports. */
const localize = (text) =>
  String(text)
    .replace(/\$\{FAUXGATE_CONTROL_KEY:\?[^}]*\}/, 'a-key-for-these-tests')
    .replace(/\b(?:gateway|app):(\d+)/g, '127.0.0.1:$1')
    .replace(/\b(4747|8080)\b/g, (port) => ports[port])

function createEnvironment({ environment = {} }) {
  const own = Object.entries(environment).map(([name, text]) => [name, localize(text)])
  const server = { FAUXGATE_PORT: ports[4747], FAUXGATE_URL: `http://127.0.0.1:${ports[4747]}` }
  return { ...process.env, PATH: `${bin}:${process.env.PATH}`, NO_PROXY: '*', ...server, ...Object.fromEntries(own) }
}

const createOptions = (service) => ({
  cwd: service.working_dir ? join(folder, service.volumes[0].split(':')[0]) : folder,
  env: { ...createEnvironment(service), PYTHONDONTWRITEBYTECODE: '1' },
  shell: true,
})

const isHealthy = ({ healthcheck, ...service }) =>
  spawnSync(localize(healthcheck.test), { ...createOptions(service), stdio: 'ignore' }).status === 0

const children = []
/** Starts a service after the services that it depends on, and waits until it is healthy. */
async function start(name) {
  const service = services[name]
  for (const other of Object.keys(service.depends_on ?? {})) await start(other)
  const child = spawn(`exec ${localize(service.command)}`, {
    ...createOptions(service),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  if (!service.healthcheck) return once(child, 'exit')
  for (let tries = 0; !isHealthy(service); tries++) {
    if (tries === service.healthcheck.retries) throw new Error(`${name} did not become healthy.`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

try {
  const [status] = await start('tests')
  process.exitCode = status ?? 1
} finally {
  for (const child of children) child.kill()
  rmSync(bin, { recursive: true })
}
