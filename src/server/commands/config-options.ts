import { caught } from '../errors.ts'
import { readConfigFile } from '../options/config-file.ts'
import { type ParsedOptions, parseOptions } from '../options/parsed-options.ts'
import { CONFIG_FLAG, variableOf } from '../options/table.ts'
import { type Arguments, flagValue } from './command.ts'

/** Reads the options of a command line, the environment and the config file. */
export async function optionsOf(parsed: Arguments, environment: NodeJS.ProcessEnv): Promise<ParsedOptions> {
  const named = flagValue(parsed, CONFIG_FLAG.flag) ?? environment[variableOf(CONFIG_FLAG.flag)]
  return parseOptions(parsed, environment, await readConfigFile(named))
}

/** Does the work of an option. The message of an error begins with the option as it was given. */
export async function naming<T>(option: string, names: ParsedOptions['names'], work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const name = names.get(option)
    const { message } = caught(error)
    throw new Error(name === undefined ? message : `${name}: ${message}`, { cause: error })
  }
}
