import { existsSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { UsageError } from '../errors.ts'
import { readError, requireEnd } from '../files.ts'

/** The name for standard input. */
export const STDIN = '-'

/**
 * Returns the files for the arguments of a command line: files, folders, and globs with `*`, `**`, `?`, `[…]`, and `{…}`. A folder means
 * the YAML, JSON, and Terraform files in it. Globs and folders omit `node_modules` and names that begin with a dot.
 *
 * @throws UsageError if a glob matches no files
 */
export async function listFiles(words: readonly string[]): Promise<readonly string[]> {
  const files = new Set<string>()
  for (const word of words) for (const file of await filesOf(word.replaceAll('\\', '/'), word)) files.add(file)
  return [...files]
}

async function filesOf(pattern: string, word: string): Promise<readonly string[]> {
  const isFolder = statSync(word, { throwIfNoEntry: false })?.isDirectory()
  if (word === STDIN || (!isFolder && (existsSync(word) || !/[*?[{]/.test(pattern)))) return [word]
  const glob = isFolder ? `${pattern.replace(/\/+$/, '')}/**/*.{yaml,yml,json,tf}` : pattern
  const start = isFolder ? pattern : glob.slice(0, glob.search(/[*?[{]/)).replace(/[^/]*$/, '')
  const matcher = globMatcher(glob)
  const files = (await walk(start.replace(/\/+$/, '') || (glob.startsWith('/') ? '/' : ''))).filter((each) =>
    matcher.test(each),
  )
  if (files.length === 0 && !isFolder) throw new UsageError(`${word} matches no files.`)
  return files.sort()
}

async function walk(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder || '.', { withFileTypes: true }).catch(() => [])
  const lists = entries.map(async (entry) => {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return []
    const path = folder === '' ? entry.name : join(folder, entry.name).replaceAll('\\', '/')
    return entry.isDirectory() ? walk(path) : [path]
  })
  return (await Promise.all(lists)).flat()
}

const GLOB_PARTS: Readonly<Record<string, string>> = {
  '**/': '(?:[^/]+/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  '}': ')',
  ',': '|',
}

function globMatcher(glob: string): RegExp {
  let braces = 0
  const pattern = glob.replace(/^\.\//, '').replace(/\*\*\/|\*\*|\[[^\]/]+\]|./g, (part) => {
    if (part === '{') braces++
    if (part.length > 1 && part.startsWith('[')) return part.replace(/^\[!/, '[^')
    const isPlain = (part === ',' || part === '}') && braces === 0
    if (part === '}' && braces > 0) braces--
    return (isPlain ? undefined : GLOB_PARTS[part]) ?? part.replace(/[\\^$.|+()[\]{}]/, '\\$&')
  })
  return new RegExp(`^(?:\\./)?${pattern}${')'.repeat(braces)}$`)
}

/**
 * Reads a file, or standard input, in any YAML encoding: UTF-8, UTF-16, or UTF-32, with or without a byte order mark.
 *
 * @throws Error with the file's path as it was passed
 */
export async function readEncoded(file: string): Promise<string> {
  if (file === STDIN) return decodeYaml(await buffer(process.stdin), 'Standard input')
  requireEnd(file)
  const bytes = await readFile(file).catch((error: unknown) => {
    throw readError(file, error)
  })
  return decodeYaml(bytes, file)
}

/** Decodes a string as YAML 1.2.2 (5.2) does, by its byte order mark or by the zeros in its first character. */
export function decodeYaml(bytes: Uint8Array, name: string): string {
  try {
    return decode(bytes).replace(/^\uFEFF/, '')
  } catch {
    throw new Error(`${name} is not valid UTF-8, UTF-16, or UTF-32, as YAML requires.`)
  }
}

function decode(bytes: Uint8Array): string {
  const [a, b, c, d] = bytes
  if (a === 0 && b === 0 && (c === 0 || (c === 0xfe && d === 0xff))) return decode32(bytes, false)
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (b === 0 && c === 0 && d === 0)) return decode32(bytes, true)
  const encoding =
    (a === 0xfe && b === 0xff) || a === 0 ? 'utf-16be' : (a === 0xff && b === 0xfe) || b === 0 ? 'utf-16le' : 'utf-8'
  return new TextDecoder(encoding, { fatal: true }).decode(bytes)
}

function decode32({ buffer: data, byteOffset, byteLength }: Uint8Array, isLittle: boolean): string {
  if (byteLength % 4 !== 0) throw new RangeError('The last character is incomplete.')
  const view = new DataView(data, byteOffset, byteLength)
  let text = ''
  for (let at = 0; at < byteLength; at += 4) text += String.fromCodePoint(view.getUint32(at, isLittle))
  return text
}
