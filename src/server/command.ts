import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { type Dialect, ngrok, standard } from '../contract/dialect.ts'
import { quote } from '../contract/quote.ts'
import { valuesOf, withoutSecrets } from '../contract/secret-values.ts'
import { TIME_ALLOWED, timeMs } from '../contract/view.ts'
import { type Clock, readClock, systemClock } from '../engine/clock.ts'
import { manualClock } from '../engine/manual-clock.ts'
import { createGateway } from '../gateway.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import { isLoopbackAddress } from '../http/loopback.ts'
import { type Served, serve } from './serve.ts'
import { exportState, importState } from './state-file.ts'

const DIALECTS: Readonly<Record<string, Dialect>> = { standard, ngrok }

const USAGE = `Usage: fauxgate serve [options]

Serves an emulated tunnel gateway's management API, with its state in memory.

  --port N              the TCP port; 0 for any free one          (default 4747)
  --host HOST           the address to listen on                  (default 127.0.0.1)
  --dialect NAME        standard or ngrok                         (default standard)
  --base-url URL        what URIs in responses start with         (default the server's own URL)
  --key KEY             accept only this API key; may be repeated (default any key)
  --seed TEXT           the same seed and calls give the same ids (default a fresh one)
  --references MODE     any or declared                           (default any)
  --clock KIND          system or manual                          (default system)
  --start TIME          where a manual clock starts               (default now)
  --dns MODE            off or simulated                          (default off)
  --provisioning-delay D    from a job's start to its first attempt (default 30s)
  --certificate-validity D  how long automatic certificates last  (default 90d)
  --renewal-lead D      how long before expiry they are renewed   (default 30d)
  --empty-json-on-delete  answer a DELETE with 200 and {} instead of 204
  --state FILE          restore the state from a file, and write it there at the end
  --rate-limit          answer 429 to more than 120 requests within a minute
  --control-key KEY     ask everyone who uses the controls for this key; FAUXGATE_CONTROL_KEY in the
                        environment does the same        (default: this machine only, without a key)
  --allow-host NAME     a further host name by which this machine may use the controls; may be repeated
  -h, --help            this text

A duration D is a whole number with ms, s, m, h or d: 30s. The controls for tests stand below /_fauxgate/; see the docs.
`

const OPTIONS = {
  port: { type: 'string', default: '4747' },
  host: { type: 'string', default: '127.0.0.1' },
  dialect: { type: 'string', default: 'standard' },
  'base-url': { type: 'string' },
  key: { type: 'string', multiple: true },
  seed: { type: 'string' },
  references: { type: 'string' },
  clock: { type: 'string', default: 'system' },
  start: { type: 'string' },
  dns: { type: 'string' },
  'provisioning-delay': { type: 'string' },
  'certificate-validity': { type: 'string' },
  'renewal-lead': { type: 'string' },
  'empty-json-on-delete': { type: 'boolean' },
  state: { type: 'string' },
  'rate-limit': { type: 'boolean' },
  'control-key': { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const

/** Says what is wrong with the command line. */
class UsageError extends Error {}

/**
 * Runs the `fauxgate` command and answers its exit code: 0 when it stopped on a signal, 1 when it could not listen,
 * 2 when the command line is wrong.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parse(args)
    if (values.help) return print(USAGE)
    requireServe(positionals)
    requireValues(values)
    const port = portOf(values.port)
    return await serveUntilSignal(await gatewayOptions(values), port, values.host, values.state)
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof TypeError
    const message = withoutSecrets((error as Error).message, keysIn(args))
    process.stderr.write(`fauxgate: ${message}\n${isUsage ? `\n${USAGE}` : ''}`)
    return isUsage ? 2 : 1
  }
}

/** The keys on the command line and in the environment, which no message repeats. */
function keysIn(args: readonly string[]): string[] {
  const given = args.flatMap((arg, place) => {
    const option = /^--(?:control-)?key(?:=(.*))?$/s.exec(arg)
    return option ? (option[1] ?? args[place + 1] ?? []) : []
  })
  return valuesOf([...given, process.env.FAUXGATE_CONTROL_KEY ?? ''])
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true })
}

type Values = ReturnType<typeof parse>['values']

/** What stands behind the command is not repeated: it may be the rest of a key with a space in it. */
function requireServe([command = '', ...rest]: readonly string[]): void {
  if (command !== 'serve') throw new UsageError(`The command is ${quote(command)}. Allowed: serve.`)
  if (rest.length > 0) throw new UsageError(`Behind serve there are ${rest.length} words that belong to no option.`)
}

/** An empty value is never meant: a variable of the shell was not set. */
function requireValues(values: Values): void {
  for (const [name, value] of Object.entries(values)) {
    if ([value].flat().includes('')) throw new UsageError(`--${name} is empty. Give it a value, or leave it out.`)
  }
}

async function gatewayOptions(values: Values): Promise<GatewayOptions> {
  const dialect = Object.hasOwn(DIALECTS, values.dialect) ? DIALECTS[values.dialect] : undefined
  if (!dialect) throw wrong('dialect', values.dialect, Object.keys(DIALECTS).join(', '))
  const given = {
    baseUrl: values['base-url'],
    keys: values.key,
    seed: values.seed,
    references: values.references,
    emptyJsonOnDelete: values['empty-json-on-delete'],
    dns: values.dns,
    provisioningDelay: values['provisioning-delay'],
    certificateValidity: values['certificate-validity'],
    renewalLead: values['renewal-lead'],
    rateLimit: values['rate-limit'],
    clock: clockOf(values),
    control: controlOf(values),
  }
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  // The names and values are checked where the gateway is created.
  return { dialect, authorityKeys: 'fresh', ...(sent as GatewayOptions) }
}

function controlOf(values: Values): GatewayOptions['control'] {
  const key = values['control-key'] ?? process.env.FAUXGATE_CONTROL_KEY
  if (key === '') throw new UsageError('FAUXGATE_CONTROL_KEY is empty. Give it a value, or do not set it.')
  const allowHosts = values['allow-host'] ?? []
  return key === undefined ? { allowHosts } : { key, allowHosts }
}

function clockOf({ clock, start }: Values): Clock | undefined {
  if (clock !== 'system' && clock !== 'manual') throw wrong('clock', clock, 'system, manual')
  if (clock === 'system') {
    if (start !== undefined) throw new UsageError('--start needs --clock manual.')
    return undefined
  }
  if (start !== undefined && timeMs(start) === undefined) throw wrong('start', start, TIME_ALLOWED)
  return manualClock(start ?? readClock(systemClock))
}

function wrong(option: string, received: string, allowed: string): UsageError {
  return new UsageError(`--${option} is ${JSON.stringify(received)}. Allowed: ${allowed}.`)
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65535)) throw wrong('port', text, 'an integer from 0 to 65535')
  return port
}

async function serveUntilSignal(options: GatewayOptions, port: number, host: string, file?: string): Promise<number> {
  const gateway = createGateway(options)
  if (file !== undefined) await importState(gateway, file)
  const server = await serve(gateway, { port, host })
  const stopped = new AbortController()
  const { signal } = stopped
  const signalled = Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })])
  print(`fauxgate (${gateway.dialect.name}) listens on ${placeOf(server, host)}\n`)
  if (!isLoopbackAddress(server.address)) process.stderr.write(exposure(options))
  await signalled
  stopped.abort()
  await server.close()
  if (file !== undefined) await exportState(gateway, file)
  return 0
}

/** Where a server listens in truth, for people. */
function placeOf({ url, address, port }: Served, host: string): string {
  if (address === '0.0.0.0') return `all IPv4 addresses of this machine, port ${port}; here ${url}`
  if (address === '::') return `all addresses of this machine, IPv6 and IPv4, port ${port}; here ${url}`
  return address === host ? url : `${url} (${address})`
}

/** What others find at an address that they can reach. */
function exposure({ keys, control }: GatewayOptions): string {
  const api = keys ? 'with one of its keys' : 'with any key'
  const isKeyed = typeof control === 'object' && control.key !== undefined
  const controls = isKeyed ? 'are open to whoever has the control key' : 'are closed to them'
  return `fauxgate: warning: others can reach this address. The API is open to them ${api}; the controls ${controls}.\n`
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}
