import { createSeed } from '../../core/engine/random.ts'
import type { Families } from '../../core/operation/family.ts'
import type { Store } from '../../core/operation/store.ts'
import { formatCount, quote } from '../../core/schema/text.ts'
import { rangeMs } from '../../core/schema/time.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { isLocalUrl } from '../../gateway/http/callers.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { Config } from '../../generated/options.ts'
import { registerServer } from '../client/running.ts'
import { messageOf, UsageError } from '../errors.ts'
import { requireReplaceable, writeText } from '../files.ts'
import { withFrontPage } from '../front-page.ts'
import { withLatency } from '../latency.ts'
import { withLog } from '../log/gateway-log.ts'
import { createPainter, jsonLog, type Log, textLog } from '../log/log.ts'
import { LogOutput } from '../log/output.ts'
import { withWaitingNotice } from '../log/waiting-notice.ts'
import { configRows } from '../options/config.ts'
import { pathFromHere } from '../options/config-file.ts'
import { CONFIG_FLAG, variableName } from '../options/flags.ts'
import { gatewayOptionsOf, withOptionNames } from '../options/gateway-options.ts'
import { loadOptions, type ParsedServerOptions, prefixErrors, warningsOfVariables } from '../options/parsed-options.ts'
import { optionTable } from '../options/table.ts'
import { bypassProxy } from '../proxy.ts'
import { openStore } from '../sqlite/sqlite-store.ts'
import { importState, StateFile } from '../state.ts'
import { warn } from '../terminal.ts'
import type { TrafficPort } from '../traffic/port.ts'
import { onSignals, sleep, waitForSignal } from '../waiting.ts'
import { announce } from './announce.ts'
import { type Arguments, type Command, requireNoWords } from './command.ts'
import { listen, openPorts } from './listen.ts'
import { migrationText } from './migration-text.ts'
import { waitForChange, watchedFiles } from './watch.ts'

const DEFAULT_HOST = configRows.host.default

export const serveCommand: Command = {
  name: 'serve',
  words: '',
  summary: "Serve an emulated tunnel gateway's management API",
  flags: [CONFIG_FLAG, ...optionTable],
  notes: [
    'D is a duration: a whole number followed by a unit (ms, s, m, h, or d), such as 30s. To turn off a switch, put --no- before its name.',
    `Set any option by flag, by environment variable (${variableName('base-url')} for --base-url), or in the config file ("baseUrl"). Flags override variables, and variables override the file.`,
    'SIGINT and SIGTERM stop the server. The inspector and the controls for tests are under /_fauxgate/.',
  ],
  example: 'serve --dialect ngrok --clock manual',
  run: runServe,
}

async function runServe(parsed: Arguments, environment: NodeJS.ProcessEnv): Promise<number> {
  requireNoWords(parsed.words, 'serve', parsed)
  return serveUntilStopped(parsed, environment)
}

/** The additions that another command makes to `serve`. */
export interface Addition {
  /** Additional files for `--watch`. */
  readonly files: readonly string[]
  /** Adds to the user's options. */
  readonly complete: (options: ParsedServerOptions) => Promise<ParsedServerOptions>
  /** Prepares a gateway before it is served. */
  readonly start: (gateway: Gateway) => Promise<void>
  /** Returns the text to print once the ports are open. */
  readonly describe: (gateway: Gateway, ports: readonly TrafficPort[]) => Promise<string>
}

/** Serves until a signal stops the server. Restarts the server after each change of a watched file. Returns the exit code. */
export async function serveUntilStopped(
  parsed: Arguments,
  environment: NodeJS.ProcessEnv,
  addition?: Addition,
): Promise<number> {
  let last: RunResult = { isOver: false }
  while (!last.isOver) last = await serveOnce(parsed, environment, last.port, addition)
  return 0
}

/** The result of one run of the server. A signal ends the command. After a file has changed, the next run uses the same port. */
interface RunResult {
  readonly isOver: boolean
  readonly port?: number
}

async function serveOnce(
  parsed: Arguments,
  environment: NodeJS.ProcessEnv,
  port: number | undefined,
  addition?: Addition,
): Promise<RunResult> {
  const reload = async () => {
    const own = await loadOptions(parsed, environment)
    const read = addition ? await addition.complete(own) : own
    requireOnePlace(read)
    return port === undefined ? read : { ...read, config: { ...read.config, port } }
  }
  const options = await reload()
  const { config, names } = options
  const { data, state } = config
  const files = config.watch ? watchedFiles(options, addition?.files) : []
  for (const each of warningsOfVariables(environment)) warn(each)
  const destinations = Object.values(config.destinations ?? {}).map((url) => new URL(url))
  for (const { hostname } of destinations.filter(isLocalUrl)) bypassProxy(hostname, environment)
  const output = new LogOutput(process.stdout)
  const log = createLog(config, environment, (text) => output.write(text))
  const store = data === undefined ? undefined : await prefixErrors('data', names, () => openStore(data))
  try {
    const before = store?.versions()
    const opened = await openGateway(options, store)
    requireTunnels(opened.gateway, options)
    await store?.flushed()
    const migration = store && migrationText(before, store)
    if (migration) log.notice('migrated', `${data}: ${migration}`)
    let resumed = before && data
    if (state !== undefined) {
      await prefixErrors('state', names, async () => {
        if (await importState(opened.gateway, state)) resumed = state
        await requireReplaceable(state)
      })
    }
    await addition?.start(opened.gateway)
    const check = async () => {
      const { gateway } = await openGateway(await reload())
      await addition?.start(gateway)
      gateway.dispose()
    }
    return await serveUntilEnd({ ...opened, options, log, environment, files, resumed, check, addition })
  } finally {
    output.flush()
    store?.close()
  }
}

/** Throws if the state would be stored in two places. */
function requireOnePlace({ config: { data, state }, names }: ParsedServerOptions): void {
  if (data === undefined || state === undefined) return
  const [one, other] = [names.get('data'), names.get('state')]
  throw new UsageError(`${one} and ${other} were both set. The state can be stored in only one place. Omit one.`)
}

/** Throws if the agent's local API cannot start tunnels because the gateway does not have ngrok's families. */
function requireTunnels({ declare, dialect }: Gateway, { config: { agent }, names }: ParsedServerOptions): void {
  if (agent === undefined || 'tunnelSession' in declare) return
  throw new UsageError(
    `${names.get('agent') ?? "The agent's API"} needs ngrok's families, and the "${dialect.name}" dialect has no tunnels. Add --dialect ngrok.`,
  )
}

/** Logs the options from the config file, because they are easy to forget. */
function logConfigFile({ file, names }: ParsedServerOptions, log: Log): void {
  if (file === undefined) return
  const name = pathFromHere(file)
  const read = [...names].flatMap(([path, as]) =>
    as === `${quote(path)} in ${name}` && !path.includes('.') ? path : [],
  )
  const which = read.length === 0 ? 'no option' : `${formatCount(read.length, 'option')}: ${read.join(', ')}`
  log.notice('config', `${name} sets ${which}`, { file: name, options: read })
}

/** The options that describe the state after a reset. A stored state has its own seed, time, and resources. */
const OPTIONS_OF_RESET = ['seed', 'start', 'initial']

function logPostponedOptions(file: string, { names }: ParsedServerOptions, log: Log): void {
  const passed = OPTIONS_OF_RESET.flatMap((option) => names.get(option) ?? [])
  if (passed.length === 0) return
  const verb = passed.length === 1 ? 'applies' : 'apply'
  log.notice('resumed', `${file} already has a state: ${passed.join(', ')} ${verb} only after a reset.`)
}

async function openGateway(parsed: ParsedServerOptions, store?: Store) {
  const options = await gatewayOptionsOf(parsed)
  try {
    return { gateway: createGateway(store ? { ...options, store } : options), families: options.families }
  } catch (error) {
    throw withOptionNames(error, parsed.names)
  }
}

/** The notices that even a quiet server prints because its clients need them. */
const QUIET_NOTICES = ['listening', 'agent', 'root', 'traffic', 'forwarding']

function createLog(
  { log, quiet, clock = 'system' }: Config,
  environment: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Log {
  const isDated = clock !== 'system'
  const full = log === 'json' ? jsonLog(write) : textLog(write, createPainter(process.stdout, environment), isDated)
  if (!quiet) return full
  const notice: Log['notice'] = (event, ...rest) => void (QUIET_NOTICES.includes(event) && full.notice(event, ...rest))
  return { ...full, notice }
}

interface RunContext {
  readonly gateway: Gateway
  readonly families: Families | undefined
  readonly options: ParsedServerOptions
  readonly log: Log
  readonly environment: NodeJS.ProcessEnv
  /** The files to watch. */
  readonly files: readonly string[]
  /** The file with the gateway's state. */
  readonly resumed: string | undefined
  /** Throws an error if files in the options cannot be used. */
  readonly check: () => Promise<void>
  readonly addition: Addition | undefined
}

async function serveUntilEnd(context: RunContext): Promise<RunResult> {
  const { gateway, families, options, log, environment, files, resumed, check, addition } = context
  const { config, names } = options
  const { quiet, latency, seed = createSeed(), keys = [], control, state, tlsRoot, host = DEFAULT_HOST } = config
  const file = state === undefined ? undefined : new StateFile(gateway, state)
  const controlKeys = typeof control === 'object' && control.key !== undefined ? [control.key] : []
  const withPage = withFrontPage(withWaitingNotice(file?.gateway ?? gateway, warn))
  const range = rangeMs(latency)
  const delayed = range?.to ? withLatency(withPage, range, seed) : withPage
  const served = quiet ? delayed : withLog(delayed, log, families, [...keys, ...controlKeys])
  const server = await listen(served, host, config, names)
  const ports = await openPorts(gateway, host, options, server, quiet ? undefined : log.visitor)
  const unregister = registerServer(server.url, environment)
  const stopped = new AbortController()
  // Without a file, SIGHUP ends the process as usual, because closing a terminal sends SIGHUP.
  const endHangUps = file && onSignals(['SIGHUP'], () => void file.write().catch(warnOfError))
  const running = [
    file?.writeEachMinute(stopped.signal, warnOfError),
    quiet ? undefined : settleRepeatedly(gateway, stopped.signal),
  ]
  try {
    // Programs that wait for the URL may read the file immediately.
    if (tlsRoot !== undefined)
      await prefixErrors('tlsRoot', names, () => writeText(tlsRoot, gateway.authority.certificatePem, 0o644))
    announce(gateway, server, config, host, log)
    logConfigFile(options, log)
    if (addition) log.notice('forwarding', await addition.describe(gateway, ports), { traffic: urlsOf(ports) })
    else for (const { url } of ports) log.notice('traffic', describePort(url), { traffic: url })
    if (resumed !== undefined) logPostponedOptions(resumed, options, log)
    const ended = waitForSignal(['SIGINT', 'SIGTERM'], stopped.signal)
    const changed = await Promise.race([ended, waitForChange(files, check, stopped.signal)])
    if (changed) log.notice('changed', `${pathFromHere(changed)} has changed. Restarting the server.`)
    return { isOver: !changed, port: server.port }
  } finally {
    unregister()
    endHangUps?.()
    stopped.abort()
    await Promise.all(running)
    await Promise.all([server, ...ports].map((each) => each.close()))
    await file?.write()
  }
}

const urlsOf = (ports: readonly TrafficPort[]) => ports.map(({ url }) => url)

/** Explains how visitors address an endpoint, because endpoints do not respond at the port itself. */
function describePort(url: string): string {
  const example = url.replace('localhost', 'HOST.localhost')
  return `Visitors to its endpoints${url.startsWith('https:') ? ', with TLS' : ''}: ${example} for https://HOST`
}

/** The interval at which due events are run for the log. */
const SETTLE_MS = 1000

/** Runs due events when they are due, not just at the next request. */
async function settleRepeatedly(gateway: Gateway, signal: AbortSignal): Promise<void> {
  while (await sleep(SETTLE_MS, signal)) {
    try {
      gateway.transport.settle()
    } catch (error) {
      warnOfError(error)
    }
  }
}

function warnOfError(error: unknown): void {
  warn(messageOf(error))
}
