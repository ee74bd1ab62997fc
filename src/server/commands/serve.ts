import { writeFile } from 'node:fs/promises'
import { readClock, systemClock } from '../../engine/clock.ts'
import { createGateway, type Gateway } from '../../gateway/gateway.ts'
import { isLoopbackAddress } from '../../http/access.ts'
import type { Store } from '../../operation/store.ts'
import { caught } from '../caught.ts'
import { withFrontPage } from '../front-page.ts'
import { paintFor } from '../log/colours.ts'
import { jsonLog, type Log, quietLog, textLog } from '../log/log.ts'
import { logged } from '../log/logged.ts'
import { writerTo } from '../log/output.ts'
import type { Config } from '../options/config.ts'
import { readConfigFile } from '../options/config-file.ts'
import { gatewayOptionsOf, refusedOptions } from '../options/gateway-options-of.ts'
import { type Given, givenOptions, mistypedVariables } from '../options/given.ts'
import { optionTable, variableOf } from '../options/table.ts'
import { type Served, serve } from '../serve.ts'
import { type SqliteStore, sqliteStore } from '../sqlite/sqlite-store.ts'
import { KeptState, waited } from '../state/kept-state.ts'
import { importState, requireWritable } from '../state/state-file.ts'
import { type Arguments, requireNoWords } from './arguments.ts'
import type { Command, DocumentedFlag } from './command.ts'
import { whoHasIt } from './taken-port.ts'
import { UsageError } from './usage-error.ts'

const DEFAULT_PORT = 4747

const CONFIG_FLAG: DocumentedFlag = {
  flag: 'config',
  kind: 'text',
  value: 'FILE',
  sentence:
    'The config file. Default: fauxgate.config.json, .js, .mjs or .ts of the present folder, where there is one.',
  variable: variableOf('config'),
}

/** `fauxgate serve`: a gateway over HTTP, until it is stopped. */
export const serveCommand: Command = {
  name: 'serve',
  words: '',
  summary: "Serve an emulated tunnel gateway's management API",
  flags: [CONFIG_FLAG, ...optionTable],
  notes: [
    'D is a duration: a whole number with ms, s, m, h or d, such as 30s. What has "…" can be given several times. A switch is turned off by --no- and its name.',
    `Each option can also be a variable of the environment: --base-url is ${variableOf('base-url')}, and so on; or stand in the config file: "baseUrl". A flag goes before a variable, and that before the file.`,
    'SIGINT and SIGTERM stop it. The controls for tests stand below /_fauxgate/.',
  ],
  run: runServe,
}

async function runServe(given: Arguments, environment: NodeJS.ProcessEnv): Promise<number> {
  requireNoWords(given.words, 'serve')
  const options = await optionsOf(given, environment)
  const log = logOf(options.config, environment)
  for (const each of mistypedVariables(environment)) warn(each)
  const { data, state } = options.config
  if (data !== undefined && state !== undefined) {
    const [one, other] = [options.names.get('data'), options.names.get('state')]
    throw new UsageError(`${one} and ${other} were both given. The state is kept in one place: leave one out.`)
  }
  const store = data === undefined ? undefined : storeIn(data, options)
  try {
    const gateway = await createdGateway(options, store)
    if (state !== undefined) await beginWith(state, gateway, options)
    return await serveUntilSignal(gateway, options, log)
  } finally {
    store?.close()
  }
}

/** Goes on from a state file, which can be written. */
async function beginWith(state: string, gateway: Gateway, given: Given): Promise<void> {
  try {
    await importState(gateway, state)
    await requireWritable(state)
  } catch (error) {
    throw naming('state', given, error)
  }
}

function storeIn(file: string, given: Given): SqliteStore {
  try {
    return sqliteStore(file)
  } catch (error) {
    throw naming('data', given, error)
  }
}

/** An error of what an option names, with the option as it was given. */
function naming(option: string, { names }: Given, error: unknown): Error {
  const name = names.get(option)
  const { message } = caught(error)
  return new Error(name === undefined ? message : `${name}: ${message}`, { cause: error })
}

async function optionsOf(given: Arguments, environment: NodeJS.ProcessEnv): Promise<Given> {
  const named = given.flags.get(CONFIG_FLAG.flag) ?? environment[variableOf('config')]
  // A flag with a value is no switch.
  const file = await readConfigFile(Array.isArray(named) ? named[0] : (named as string | undefined))
  return givenOptions(given, environment, file)
}

async function createdGateway(given: Given, store: Store | undefined): Promise<Gateway> {
  const options = await gatewayOptionsOf(given)
  try {
    return createGateway(store ? { ...options, store } : options)
  } catch (error) {
    throw refusedOptions(error, given.names)
  }
}

function logOf({ log, quiet, clock = 'system' }: Config, environment: NodeJS.ProcessEnv): Log {
  const write = writerTo(process.stdout)
  const whole =
    log === 'json' ? jsonLog(write) : textLog(write, paintFor(process.stdout, environment), clock !== 'system')
  return quiet ? quietLog(whole) : whole
}

async function serveUntilSignal(gateway: Gateway, given: Given, log: Log): Promise<number> {
  const { config } = given
  const { quiet, families, keys = [], control, state } = config
  const kept = state === undefined ? undefined : new KeptState(gateway, state)
  const controlKeys = typeof control === 'object' && control.key !== undefined ? [control.key] : []
  const front = withFrontPage(kept?.gateway ?? gateway)
  const watched = quiet ? front : logged(front, log, { families, keys: [...keys, ...controlKeys] })
  const server = await listening(watched, given)
  const stopped = new AbortController()
  const ended = signalled(stopped.signal, () => kept?.write().catch(tell))
  await announce(gateway, server, given, log)
  const going = [kept?.keep(stopped.signal, tell), quiet ? undefined : onTime(gateway, stopped.signal)]
  await ended
  stopped.abort()
  await Promise.all(going)
  await server.close()
  await kept?.write()
  return 0
}

/** Where a server listens, or the error that says who has the port. */
async function listening(gateway: Gateway, given: Given): Promise<Served> {
  const { config } = given
  const { port = DEFAULT_PORT, host = '127.0.0.1', tls, tlsRoot } = config
  try {
    return await serve(gateway, {
      port,
      host,
      ...(tls || tlsRoot ? { tls: certificateOf(gateway, host, config) } : {}),
    })
  } catch (error) {
    const { code } = caught(caught(error).cause ?? {})
    if (code === 'EADDRINUSE') throw new Error(await whoHasIt(host, port), { cause: error })
    const about = code === undefined ? undefined : ABOUT[code]
    throw about === undefined ? error : naming(about, given, error)
  }
}

/** The option that an error of the system is about. */
const ABOUT: Readonly<Record<string, string>> = { EACCES: 'port', EADDRNOTAVAIL: 'host', ENOTFOUND: 'host' }

const YEAR_MS = 365 * 86_400_000
const DAY_MS = 86_400_000

/** A certificate by all names that the server is asked by; clients look at the real time, whatever the gateway's is. */
function certificateOf(gateway: Gateway, host: string, { baseUrl, control }: Config) {
  const now = readClock(systemClock)
  const allowed = typeof control === 'object' ? (control.allowHosts ?? []) : []
  const based = baseUrl === undefined ? [] : [new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')]
  const all = new Set(['localhost', '127.0.0.1', '::1', host, ...based, ...allowed])
  const isAddress = (name: string) => /^[\d.]+$|:/.test(name)
  const wildcards = ['0.0.0.0', '::']
  return gateway.authority.serverCertificate({
    names: [...all].filter((name) => !isAddress(name)),
    ips: [...all].filter((name) => isAddress(name) && !wildcards.includes(name)),
    notBefore: now - DAY_MS,
    notAfter: now + YEAR_MS,
  })
}

async function announce(gateway: Gateway, server: Served, given: Given, log: Log): Promise<void> {
  const { config } = given
  const { host = '127.0.0.1', tls, tlsRoot } = config
  // Made only for who asks: its key costs more time than everything else before the server listens.
  const root = tls || tlsRoot !== undefined ? gateway.authority.certificatePem : ''
  // Who hears that it listens can read the file.
  if (tlsRoot !== undefined) {
    await writeFile(tlsRoot, root).catch((error) => {
      throw naming('tlsRoot', given, error)
    })
  }
  const place = placeOf(server, host)
  const facts = { url: server.url, address: server.address, port: server.port, dialect: gateway.dialect.name }
  log.notice('listening', `fauxgate (${gateway.dialect.name}) listens on ${place}`, facts)
  if (tlsRoot !== undefined) {
    log.notice('root', `Its root certificate, for clients to trust, is in ${tlsRoot}`, { file: tlsRoot })
  } else if (tls) log.notice('root', `Its root certificate, for clients to trust:\n${root.trimEnd()}`, { root })
  if (!isLoopbackAddress(server.address)) warn(exposure(config))
}

/** Where a server listens in truth, for people. */
function placeOf({ url, address, port }: Served, host: string): string {
  if (address === '0.0.0.0') return `all IPv4 addresses of this machine, port ${port}; here ${url}`
  if (address === '::') return `all addresses of this machine, IPv6 and IPv4, port ${port}; here ${url}`
  return address === host ? url : `${url} (${address})`
}

/** What others find at an address that they can reach. */
function exposure({ keys, control }: Config): string {
  const api = keys ? 'with one of its keys' : 'with any key'
  const isKeyed = typeof control === 'object' && control.key !== undefined
  const controls = isKeyed ? 'are open to whoever has the control key' : 'are closed to them'
  return `others can reach this address. The API is open to them ${api}; the controls ${controls}.`
}

/** How often it is looked what is due, for the log. */
const LOOK_MS = 1000

/** Lets what is due on a clock that runs by itself happen at its time, not only when somebody looks. */
async function onTime(gateway: Gateway, signal: AbortSignal): Promise<void> {
  while (await waited(LOOK_MS, signal)) {
    try {
      gateway.settle()
    } catch (error) {
      tell(error)
    }
  }
}

/** Resolves when a signal ends the process. SIGHUP calls back instead. */
async function signalled(signal: AbortSignal, hangUp: () => void): Promise<void> {
  const names = ['SIGINT', 'SIGTERM'] as const
  await new Promise<void>((resolve) => {
    const end = () => resolve()
    for (const name of names) process.on(name, end)
    process.on('SIGHUP', hangUp)
    signal.addEventListener('abort', () => {
      for (const name of names) process.off(name, end)
      process.off('SIGHUP', hangUp)
    })
  })
}

function tell(error: unknown): void {
  warn(caught(error).message)
}

function warn(text: string): void {
  process.stderr.write(`fauxgate: warning: ${text}\n`)
}
