import { type Clock, readClock, systemClock } from '../../engine/clock.ts'
import { manualClock } from '../../engine/manual-clock.ts'
import { GatewayError } from '../../gateway/gateway-error.ts'
import type { AnyOptions } from '../../gateway/options.ts'
import { gatewayRows } from '../../gateway/options.ts'
import type { InitialResources } from '../../generated/resources.ts'
import type { Families } from '../../operation/family.ts'
import { type DialectName, dialects } from '../../resources/dialects.ts'
import { UsageError } from '../errors.ts'
import { readValue } from './config-file.ts'
import type { ParsedOptions } from './parsed-options.ts'
import { optionTable } from './table.ts'

type Names = ParsedOptions['names']

/**
 * Returns the options of `createGateway` among those of the command.
 * @throws UsageError if options do not fit together, or a file that they name cannot be read.
 */
export async function gatewayOptionsOf({ config, names }: ParsedOptions): Promise<AnyOptions> {
  const { dialect, initial } = config
  const own = config.families as Families | undefined // Its schema checked that the kit made them.
  const shipped = typeof dialect === 'string' && dialect !== 'standard' ? await familiesOf(dialect) : undefined
  const options: { [Name in keyof AnyOptions]?: AnyOptions[Name] | undefined } = {
    ...config,
    authorityKeys: config.authorityKeys ?? 'fresh',
    dialect: typeof dialect === 'string' ? dialects[dialect] : dialect,
    families: shipped ? { ...shipped, ...own } : own,
    clock: clockOf(config, names),
    // The gateway checks what the file has.
    initial: typeof initial === 'string' ? ((await readValue(initial)) as InitialResources) : initial,
  }
  return Object.fromEntries(Object.entries(options).filter(([name]) => name in gatewayRows))
}

/** The further families of a dialect. They are loaded only where somebody asks for them. */
async function familiesOf(dialect: DialectName): Promise<Families | undefined> {
  const { dialectFamilies } = await import('../../gateway/dialect-families.ts')
  return dialectFamilies[dialect]
}

function clockOf({ clock = 'system', start }: ParsedOptions['config'], names: Names): Clock {
  if (clock === 'manual') return manualClock(start ?? readClock(systemClock))
  if (start !== undefined) throw new UsageError(`${names.get('start')} needs --clock manual.`)
  return clock === 'system' ? systemClock : clock
}

/** Says what `createGateway` refused of its options with the names under which they were given. Returns other errors unchanged. */
export function refusedOptions(error: unknown, names: Names): unknown {
  if (!(error instanceof TypeError || error instanceof GatewayError)) return error
  const [, first = '', place = '', rest = ''] = /^(\w+)([\w.[\]]*)(.*)$/s.exec(error.message) ?? []
  const nameOf = (option: string) => names.get(option) ?? flagOf(option)
  const whole = nameOf(first + place)
  const name = whole ?? nameOf(first)
  if (name === undefined) return new UsageError(error.message)
  // Beside an option of a config file, another one has the name that it would have there.
  const other = (option: string) => names.get(option) ?? (name.startsWith('"') ? undefined : flagOf(option)) ?? option
  const allowed = rest.replace(/(?<= Allowed: .*)\b[a-z]+(?:[A-Z]\w*(?:\.\w+)*|\.\w+)/gs, other)
  return new UsageError(`${name}${whole ? '' : place && `, at ${place.replace(/^\./, '')}`}${allowed}`)
}

function flagOf(option: string): string | undefined {
  const flag = optionTable.find(({ path }) => path === option)?.flag
  return flag && `--${flag}`
}
