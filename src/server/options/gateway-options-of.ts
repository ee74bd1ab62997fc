import { type Clock, readClock, systemClock } from '../../engine/clock.ts'
import { manualClock } from '../../engine/manual-clock.ts'
import { GatewayError } from '../../gateway/gateway-error.ts'
import type { AnyOptions } from '../../gateway/gateway-options.ts'
import { DEFAULTS } from '../../gateway/read-gateway-options.ts'
import type { InitialResources } from '../../generated/resources.ts'
import { type Dialect, ngrok, standard } from '../../resources/dialects.ts'
import { durationText } from '../../schema/time.ts'
import { UsageError } from '../commands/usage-error.ts'
import type { Config } from './config.ts'
import { readValue } from './config-file.ts'
import type { Given } from './given.ts'
import { optionTable } from './table.ts'

/** As it would be typed, for messages. */
const DEFAULT_BACKOFF = {
  first: durationText(DEFAULTS.internalErrorBackoff.first),
  most: durationText(DEFAULTS.internalErrorBackoff.most),
}

const DIALECTS = { standard, ngrok } as const satisfies Readonly<Record<string, Dialect>>

/**
 * What `createGateway` takes, of the options of the command.
 * @throws UsageError where options do not fit together, or a file of theirs cannot be read.
 */
export async function gatewayOptionsOf({ config, names }: Given): Promise<AnyOptions> {
  const {
    port: _port,
    host: _host,
    tls: _tls,
    tlsRoot: _root,
    data: _data,
    state: _state,
    quiet: _quiet,
    log: _log,
    ...rest
  } = config
  const { clock = 'system', start, dialect = 'standard', initial, internalErrorBackoff, ...plain } = rest
  const ofGateway: { [Name in keyof AnyOptions]?: AnyOptions[Name] | undefined } = {
    authorityKeys: 'fresh',
    ...plain,
    dialect: typeof dialect === 'string' ? DIALECTS[dialect] : dialect,
    clock: clockOf(clock, start, names),
    // The gateway looks at what the file holds.
    initial: typeof initial === 'string' ? ((await readValue(initial)) as InitialResources) : initial,
    internalErrorBackoff: internalErrorBackoff && { ...DEFAULT_BACKOFF, ...internalErrorBackoff },
  }
  return Object.fromEntries(Object.entries(ofGateway).filter(([, value]) => value !== undefined))
}

function clockOf(clock: NonNullable<Config['clock']>, start: string | undefined, names: Given['names']): Clock {
  if (clock === 'manual') return manualClock(start ?? readClock(systemClock))
  if (start !== undefined) throw new UsageError(`${names.get('start')} needs --clock manual.`)
  return clock === 'system' ? systemClock : clock
}

/** What the gateway refused of its options, in the words in which they were given; any other error as it is. */
export function refusedOptions(error: unknown, names: Given['names']): unknown {
  if (!(error instanceof TypeError || error instanceof GatewayError)) return error
  const [, first = '', place = '', rest = ''] = /^(\w+)([\w.[\]]*)(.*)$/s.exec(error.message) ?? []
  const called = (option: string) => names.get(option) ?? flagOf(option)
  const whole = called(first + place)
  const name = whole ?? called(first)
  if (name === undefined) return new UsageError(error.message)
  // Beside an option of a config file another one is called as it would stand there.
  const other = (option: string) => names.get(option) ?? (name.startsWith('"') ? undefined : flagOf(option)) ?? option
  const allowed = rest.replace(/(?<= Allowed: .*)\b[a-z]+[A-Z]\w*(?:\.\w+)*/gs, other)
  return new UsageError(`${name}${whole ? '' : place && `, at ${place.replace(/^\./, '')}`}${allowed}`)
}

/** The flag of an option, as it is typed; undefined where it has none. */
function flagOf(option: string): string | undefined {
  const flag = optionTable.find(({ path }) => path === option)?.flag
  return flag && `--${flag}`
}
