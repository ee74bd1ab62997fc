import { once } from 'node:events'
import { createServer } from 'node:net'
import { isLoopbackAddress } from '../../gateway/http/callers.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { Config } from '../../generated/options.ts'
import { dialectNames } from '../../service/resources/dialects.ts'
import { detectProgram } from '../client/server-calls.ts'
import { asSystemError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { hostInUrl, listenProblem, type Served } from '../serve.ts'
import { warn } from '../terminal.ts'

/** Logs where the server listens, the URL of the inspector, and how to connect a client. */
export function announce(gateway: Gateway, server: Served, config: Config, host: string, log: Log): void {
  const { tls, tlsRoot } = config
  const facts = { url: server.url, address: server.address, port: server.port, dialect: gateway.dialect.name }
  log.notice('listening', `fauxgate (${gateway.dialect.name}) listens on ${describePlace(server, host)}`, facts)
  log.notice('connect', howToConnect(gateway, server, config), { inspector: inspectorUrl(server) })
  if (server.agentUrl !== undefined) {
    const text = `The agent's local API is at ${server.agentUrl}/api. Nothing connects to ngrok.`
    log.notice('agent', text, { url: server.agentUrl })
  }
  if (tlsRoot !== undefined) {
    log.notice('root', `Its root certificate, for clients to trust, is in ${tlsRoot}`, { file: tlsRoot })
  } else if (tls) {
    const root = gateway.authority.certificatePem
    log.notice('root', `Its root certificate, for clients to trust:\n${root.trimEnd()}`, { root })
  }
  if (!isLoopbackAddress(server.address)) warn(exposureWarning(config))
}

function howToConnect({ dialect }: Gateway, server: Served, { keys, tlsRoot }: Config): string {
  const { url } = server
  const [which, key] = keys ? ['one of its API keys', 'YOUR_KEY'] : ['any API key', 'any-key']
  const trust =
    tlsRoot === undefined ? '' : `--cacert ${/^[\w./-]+$/.test(tlsRoot) ? tlsRoot : JSON.stringify(tlsRoot)} `
  return `${describeDialect(dialect.name)}
Inspector, for a browser: ${inspectorUrl(server)}
Clients need the base URL ${url} and ${which}. Try:
  curl ${trust}${url}/reserved_domains -H "Authorization: Bearer ${key}" -H "${dialect.versionHeader}: 2"`
}

/** Says which dialect the API uses and how to choose another. */
function describeDialect(name: string): string {
  const others = dialectNames.filter((each) => each !== name).map((each) => `--dialect ${each}`)
  return `Dialect: ${name}. For another dialect, use ${others.join(' or ')}.`
}

function inspectorUrl({ url }: Served): string {
  return `${url}/_fauxgate/`
}

function describePlace({ url, address, port }: Served, host: string): string {
  if (address === '0.0.0.0') return `all IPv4 addresses of this machine, port ${port}; here ${url}`
  if (address === '::') return `all addresses of this machine, IPv6 and IPv4, port ${port}; here ${url}`
  return address === host ? url : `${url} (${address})`
}

function exposureWarning({ keys, control }: Config): string {
  const api = keys ? 'with one of its keys' : 'with any key'
  const isKeyed = typeof control === 'object' && control.key !== undefined
  const controls = isKeyed ? 'are open to anyone with the control key' : 'are closed to them'
  return `other machines can reach this address. The API is open to them ${api}; the controls ${controls}.`
}

/** The number of additional ports to try if a port is taken. */
const MAX_TRIED_PORTS = 20

/** Creates a message that names the program that uses a port, and suggests a free port. */
export async function portTakenMessage(host: string, port: number): Promise<string> {
  const url = `http://${hostInUrl(host)}:${port}`
  const free = await findFreePort(host, port)
  const choose = free === undefined ? 'Choose another one' : `Choose another one, such as --port ${free}`
  return `Port ${port} on ${host} is in use${await describeProgram(url)}. ${choose}, or --port 0 for any free port.`
}

async function describeProgram(url: string): Promise<string> {
  const program = await detectProgram(url)
  if (program === 'fauxgate') return `: a fauxgate server is already running there; its inspector is ${url}/_fauxgate/`
  return program === 'web server' ? ' by another web server' : ' by another program'
}

async function findFreePort(host: string, taken: number): Promise<number | undefined> {
  for (let port = taken + 1; port <= Math.min(taken + MAX_TRIED_PORTS, 65_535); port++)
    if (!(await tryListening(host, port))) return port
  return undefined
}

/** Returns this port if it is free, or else the next free port. If no port nearby is free, returns 0, which means any port. */
export async function findPort(host: string, port: number): Promise<number> {
  return (await findFreePort(host, port - 1)) ?? 0
}

/** Tries to listen on a port, and returns the error, if any. */
async function tryListening(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return asSystemError(error)
  } finally {
    server.close()
  }
}

/**
 * Checks that a port is free.
 * @throws Error with the reason and a free port.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const error = await tryListening(host, port)
  if (!error) return
  throw new Error(error.code === 'EADDRINUSE' ? await portTakenMessage(host, port) : listenProblem(error, host, port), {
    cause: error,
  })
}
