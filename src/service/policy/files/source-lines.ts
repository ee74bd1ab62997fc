import type { Field, Fields } from '../action.ts'
import { ACTIONS } from '../actions/index.ts'
import type { PolicyPath } from '../problem.ts'
import { readText } from '../text.ts'

/**
 * Returns the lines of a policy's text with `*` in place of the secrets, because the output of a check is read by more people than
 * the file. If the text cannot be read and may have secrets, returns no lines.
 */
export function linesWithoutSecrets(text: string): readonly string[] {
  const names = new Set(Object.values(ACTIONS).flatMap(({ config }) => namesOfSecrets(config)))
  const read = readText(text)
  if (read.problem) return [...names].some((name) => text.includes(name)) ? [] : splitLines(text)
  let masked = text
  for (const path of findSecrets(read.value, names)) {
    const { start, end } = read.locate(path)
    masked = masked.slice(0, start) + masked.slice(start, end).replace(/[^\r\n]/g, '*') + masked.slice(end)
  }
  return splitLines(masked)
}

const splitLines = (text: string) => text.split(/\r\n?|\n/)

function namesOfSecrets(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => (hasSecret(field) ? [name] : []))
}

function hasSecret(field: Field): boolean {
  if (field.isSecret) return true
  if (field.kind === 'list') return hasSecret(field.item)
  return field.kind === 'object' && Object.values(field.fields).some(hasSecret)
}

/** Returns the paths of the texts and numbers under the names of secrets, in actions of any type: the type may be misspelt. */
function findSecrets(
  value: unknown,
  names: ReadonlySet<string>,
  path: PolicyPath = [],
  isSecret = false,
): readonly PolicyPath[] {
  if (typeof value !== 'object' || value === null) return isSecret ? [path] : []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, each]) => findSecrets(each, names, [...path, key], isSecret || names.has(String(key))))
}
