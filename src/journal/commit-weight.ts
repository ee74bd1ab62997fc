import type { RawCommit } from '../engine/commits.ts'
import type { Change, Commit } from '../operation/collection.ts'

/** What the records of a commit may take in the journal, in bytes. */
export const MOST_OF_COMMIT = 131_072

const BYTES_OF_OBJECT = 64
const BYTES_OF_VALUE = 16
const BYTES_OF_CHARACTER = 2

/** About how many bytes the records of a commit take, counted to a little over what is allowed. */
export function weightOfCommit(commit: RawCommit | Commit | null): number {
  let bytes = 0
  for (const { before, after } of commit?.changes ?? []) {
    if (bytes > MOST_OF_COMMIT) break
    bytes += weightOf(before) + weightOf(after)
  }
  return bytes
}

/** A commit without the records that are too heavy to keep; they are described. */
export function lightCommit(commit: RawCommit | Commit): Commit {
  const shown = 'shown' in commit ? commit.shown() : commit
  const most = MOST_OF_COMMIT / (2 * shown.changes.length)
  const light = (record: object | undefined) =>
    record && weightOf(record) > most ? { cut: `a record of more than ${most} bytes` } : record
  const changes = shown.changes.map(
    (change): Change => ({ ...change, before: light(change.before), after: light(change.after) }),
  )
  return { ...shown, changes }
}

function weightOf(record: object | undefined): number {
  const open: object[] = record ? [record] : []
  let bytes = 0
  for (let at = open.pop(); at && bytes <= MOST_OF_COMMIT; at = open.pop()) {
    bytes += BYTES_OF_OBJECT + (Array.isArray(at) ? weightOfItems(at, open) : weightOfFields(at, open))
  }
  return bytes
}

function weightOfItems(list: readonly unknown[], open: object[]): number {
  for (const item of list) if (typeof item === 'object' && item !== null) open.push(item)
  return list.length * BYTES_OF_VALUE + list.reduce<number>((sum, item) => sum + charactersOf(item), 0)
}

function weightOfFields(fields: object, open: object[]): number {
  let bytes = 0
  for (const name in fields) {
    const value = (fields as Record<string, unknown>)[name] // Its own name.
    bytes += BYTES_OF_VALUE + BYTES_OF_CHARACTER * name.length + charactersOf(value)
    if (typeof value === 'object' && value !== null) open.push(value)
  }
  return bytes
}

function charactersOf(value: unknown): number {
  return typeof value === 'string' ? BYTES_OF_CHARACTER * value.length : 0
}
