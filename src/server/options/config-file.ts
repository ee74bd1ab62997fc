import { existsSync, statSync } from 'node:fs'
import { extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quote, toError } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import { asSystemError, messageOf, UsageError } from '../errors.ts'
import { parseJson, readText } from '../files.ts'

const CONFIG_FILES = ['json', 'js', 'mjs', 'ts'].map((extension) => `fauxgate.config.${extension}`)

export interface ConfigFile {
  readonly file: string
  readonly config: Readonly<Record<string, unknown>>
}

/**
 * Reads the config file with this name, or the config file in the current folder. Returns undefined if there is none.
 * @throws UsageError if the folder contains several, or if the file cannot be read or does not contain an object.
 */
export async function readConfigFile(named: string | undefined): Promise<ConfigFile | undefined> {
  const file = named === undefined ? findConfigFile() : resolve(named)
  if (file === undefined) return undefined
  const config = await readValue(file)
  if (!isObject(config))
    throw new UsageError(`${pathFromHere(file)} contains ${quote(config)}. Allowed: an object with options.`)
  try {
    // Read all getters.
    return { file, config: { ...config } }
  } catch (error) {
    throw new UsageError(`${pathFromHere(file)} cannot be read: ${messageOf(error)}.`)
  }
}

function findConfigFile(): string | undefined {
  const found = CONFIG_FILES.filter((name) => existsSync(name))
  if (found.length > 1)
    throw new UsageError(`Found ${found.join(' and ')}. Keep only one, or choose one with --config FILE.`)
  return found[0] && resolve(found[0])
}

/**
 * Reads the JSON of a file, or the default export of a module.
 * @throws UsageError if the file cannot be read. The message does not quote any part of the file.
 */
export async function readValue(file: string): Promise<unknown> {
  const path = pathFromHere(file)
  try {
    if (existsSync(file) && extname(file) !== '.json' && !statSync(file).isDirectory())
      return await readModule(file, path)
    return parseJson(await readText(path), path)
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

async function readModule(file: string, path: string): Promise<unknown> {
  const url = pathToFileURL(file)
  // A different URL makes Node reload a changed file, as --watch requires.
  url.searchParams.set('changed', String(statSync(file).mtimeMs))
  const refuse = (error: unknown) => {
    throw new Error(`${path} cannot be loaded: ${loadProblem(error, extname(file))}`)
  }
  const module: Readonly<Record<string, unknown>> = await import(url.href).catch(refuse)
  if (!('default' in module)) throw new Error(`${path} has no default export. Write: export default { … }`)
  return Promise.resolve(module.default).catch(refuse)
}

function loadProblem(error: unknown, extension: string): string {
  if (asSystemError(toError(error)).code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return extension.endsWith('ts')
      ? `Node ${process.versions.node} cannot run ${extension} files; 22.18 and newer can.`
      : `its name ends with ${extension}. Allowed: .json, .js, .mjs, or .ts.`
  return messageOf(error)
    .replace(/\n.*/s, '')
    .replace(/[^.!?]$/, '$&.')
}

/** Returns the path of a file relative to the current folder, or its absolute path if the file is far outside that folder. */
export function pathFromHere(file: string): string {
  const path = relative('.', file) || '.'
  return path.startsWith(join('..', '..')) ? file : path
}
