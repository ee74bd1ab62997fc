import { type Clock, readClock, systemClock } from '../../core/engine/clock.ts'
import { manualClock } from '../../core/engine/manual-clock.ts'
import type { Families } from '../../core/operation/family.ts'
import { describeByNames } from '../../core/schema/option-error.ts'
import { timestamp } from '../../core/schema/time.ts'
import { GatewayError } from '../../gateway/gateway-error.ts'
import { type AnyOptions, gatewayRows } from '../../gateway/options.ts'
import type { InitialResources } from '../../generated/resources.ts'
import { type DialectName, dialects } from '../../service/resources/dialects.ts'
import { UsageError } from '../errors.ts'
import { readValue } from './config-file.ts'
import type { ParsedServerOptions } from './parsed-options.ts'
import { optionTable } from './table.ts'

type Names = ParsedServerOptions['names']

/**
 * Returns the options for `createGateway` from the options of the command.
 * @throws UsageError if options contradict each other, or if a file in an option cannot be read.
 */
export async function gatewayOptionsOf({ config, names }: ParsedServerOptions): Promise<AnyOptions> {
  const { dialect, initial } = config
  const configured = config.families as Families | undefined // The schema checks that the kit created the families.
  const dialectOnly = typeof dialect === 'string' && dialect !== 'standard' ? await loadFamilies(dialect) : undefined
  const options: { [Name in keyof AnyOptions]?: AnyOptions[Name] | undefined } = {
    ...config,
    authorityKeys: config.authorityKeys ?? 'fresh',
    dialect: typeof dialect === 'string' ? dialects[dialect] : dialect,
    families: dialectOnly ? { ...dialectOnly, ...configured } : configured,
    clock: clockOf(config, names),
    // The gateway checks the value in the file.
    initial: typeof initial === 'string' ? ((await readValue(initial)) as InitialResources) : initial,
  }
  return Object.fromEntries(Object.entries(options).filter(([name]) => name in gatewayRows))
}

/** Loads the families that only this dialect has. Other dialects do not load their code. */
async function loadFamilies(dialect: DialectName): Promise<Families | undefined> {
  const { dialectFamilies } = await import('../../gateway/dialect-families.ts')
  return dialectFamilies[dialect]
}

function clockOf({ clock = 'system', start }: ParsedServerOptions['config'], names: Names): Clock {
  // Events are due on whole seconds. From a fraction of a second, advancing by 30 s would miss an attempt that is due after 30 s.
  if (clock === 'manual') return manualClock(start ?? timestamp(readClock(systemClock)))
  if (start !== undefined) throw new UsageError(`${names.get('start')} needs --clock manual.`)
  return clock === 'system' ? systemClock : clock
}

/** Converts a `createGateway` error about an option to an error with the name that the user wrote. Returns other errors unchanged. */
export function withOptionNames(error: unknown, names: Names): unknown {
  if (!(error instanceof TypeError || error instanceof GatewayError)) return error
  return new UsageError(describeByNames(error, (option) => findName(option, names)))
}

/** Returns the name of an option as the user wrote it, followed by the path below it if that has no name. */
function findName(option: string, names: Names): string {
  const nameOf = (path: string) => names.get(path) ?? flagOf(path)
  const whole = nameOf(option)
  if (whole !== undefined) return whole
  const [first = '', ...place] = option.split('.')
  const name = nameOf(first)
  if (name === undefined) return option
  return place.length > 0 ? `${name}, at ${place.join('.')}` : name
}

function flagOf(option: string): string | undefined {
  const flag = optionTable.find(({ path }) => path === option)?.flag
  return flag && `--${flag}`
}
