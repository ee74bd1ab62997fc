import { appendFileSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { locateJsonProblem } from '../core/schema/json-text.ts'
import { asSystemError } from './errors.ts'

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it is a file, not a folder',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of its path is not a folder',
  EPERM: 'permission denied',
  EROFS: 'its disk is read-only',
}

/** Returns why a file could not be used, as the end of a sentence. */
export function fileProblem(error: unknown): string {
  const { code = '', message } = asSystemError(error)
  return REASONS[code] ?? message
}

/** Returns the error for a file that cannot be read. The error contains the file's name and the reason. */
export function readError(file: string, cause: unknown): Error {
  return new Error(`${file} cannot be read: ${fileProblem(cause)}.`, { cause })
}

/** Returns the error for a file or folder that cannot be written. The error contains the reason and advice. */
export function writeError(file: string, cause: unknown, kind = 'file'): Error {
  const reason = asSystemError(cause).code === 'ENOENT' ? 'its folder does not exist' : fileProblem(cause)
  const advice = `Choose a ${kind} that you can write to, in a folder that exists.`
  return new Error(`${file} cannot be written: ${reason}. ${advice}`, { cause })
}

/**
 * Throws an error unless a file is a regular file, because reading a device such as /dev/zero never ends, and reading a pipe may not end.
 * @throws Error with the file's path as it was passed.
 */
export function requireEnd(file: string, { takesPipe = true } = {}): void {
  const found = statSync(file, { throwIfNoEntry: false })
  const isDevice = found?.isCharacterDevice() || found?.isBlockDevice()
  if (isDevice || (!takesPipe && (found?.isFIFO() || found?.isSocket())))
    throw readError(file, new Error(`it is a ${isDevice ? 'device' : 'pipe'}, not a file`))
}

/**
 * Reads the text of a file.
 * @throws Error with the file's path as it was passed.
 */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw readError(file, error)
  }
}

/**
 * Parses the text of a JSON file.
 * @throws Error with the location of the problem. The error omits the parser's own message, because that message quotes part of the text.
 */
export function parseJson(text: string, file: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${file} is not JSON: ${locateJsonProblem(text)}.`)
  }
}

/**
 * Writes a file. By default, only the owner can read a new file.
 * @throws Error with the file's path as it was passed.
 */
export async function writeText(file: string, text: string, mode = 0o600): Promise<void> {
  try {
    await writeFile(file, text, { mode })
  } catch (error) {
    throw writeError(file, error)
  }
}

/**
 * Checks that a file can be written before its content is created. Creates the file if it does not exist.
 * @throws Error with the file's path as it was passed.
 */
export function requireCanWrite(file: string, mode = 0o600): void {
  try {
    appendFileSync(file, '', { mode })
  } catch (error) {
    throw writeError(file, error)
  }
}

/**
 * Returns the path of a file without symbolic links, whether or not the file exists.
 * @throws Error if it is a symbolic link to a file that does not exist, or if its folder does not exist.
 */
export function realFile(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })) return realpathSync(file)
  if (lstatSync(file, { throwIfNoEntry: false })) throw new Error('it is a symbolic link to a file that does not exist')
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })) throw new Error('its folder does not exist')
  return join(realpathSync(folder), basename(file))
}

/**
 * Writes a file that only its owner can read. A reader sees either the old file or the complete new file.
 * @throws Error with the file's path as it was passed.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  let part: string | undefined
  try {
    const target = realFile(file)
    part = partPath(target)
    await writePart(part, text)
    await rename(part, target)
  } catch (error) {
    if (part !== undefined) await rm(part, { force: true })
    throw writeError(file, error)
  }
}

/**
 * Checks that a file can be replaced without changing it. Removes the partial files that killed processes left behind.
 * @throws Error with the file's path as it was passed.
 */
export async function requireReplaceable(file: string): Promise<void> {
  try {
    const target = realFile(file)
    for (const name of await readdir(dirname(target))) {
      const isPart = name.startsWith(basename(target)) && /^\.\d+\.part$/.test(name.slice(basename(target).length))
      if (isPart) await rm(join(dirname(target), name), { force: true })
    }
    await writePart(partPath(target), '')
    await rm(partPath(target))
  } catch (error) {
    throw writeError(file, error)
  }
}

/** Returns the path of the part file. This process writes it next to the file, and then renames it. */
function partPath(file: string): string {
  return `${file}.${process.pid}.part`
}

/** Writes a part file to disk. It must be a new file because someone else could have created a link there. */
async function writePart(file: string, text: string): Promise<void> {
  await rm(file, { force: true })
  await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true })
}
