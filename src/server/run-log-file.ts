import { appendFileSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tryParseJson } from '../verify/exchange.ts'
import { leftoversIn, type RunLogEntry, type RunLogStorage } from '../verify/run-log.ts'
import { asSystemError } from './errors.ts'
import { readError, writeError } from './files.ts'

/**
 * The list of the resources that a `verify` run creates, as JSON lines. Each line is written to disk before the corresponding call is sent.
 */
export class RunLogFile implements RunLogStorage {
  constructor(readonly file: string) {}

  /**
   * Returns the entries, or an empty list if the file does not exist. A crash may have truncated the last line before its call was sent.
   * @throws Error if the file contains something else.
   */
  read(): readonly RunLogEntry[] {
    const lines = this.#text().split('\n')
    const last = lines.length - 1
    return lines.flatMap((line, index) => {
      const entry = parseEntry(line)
      if (entry) return [entry]
      if (line === '' || (index === last && isCutEntry(line))) return []
      throw new Error(`${this.file} was not written by "fauxgate verify". Choose another file with --list.`)
    })
  }

  #text(): string {
    try {
      return readFileSync(this.file, 'utf8')
    } catch (error) {
      if (asSystemError(error).code === 'ENOENT') return ''
      throw readError(this.file, error)
    }
  }

  /** True if a run may have left resources. */
  get hasLeftovers(): boolean {
    const { created, unsure } = leftoversIn(this.read())
    return created.length + unsure.length > 0
  }

  /** Removes the last line if a crash has truncated it. Otherwise, the next entry would continue that line. */
  removeCutLine(): void {
    const text = this.#text()
    const end = text.lastIndexOf('\n') + 1
    if (end < text.length) truncateSync(this.file, Buffer.byteLength(text.slice(0, end)))
  }

  add(entry: RunLogEntry): void {
    try {
      // Only the owner can read the file, because it lists resources of an account.
      appendFileSync(this.file, `${JSON.stringify(entry)}\n`, { mode: 0o600, flush: true })
    } catch (error) {
      throw writeError(this.file, error)
    }
  }

  remove(): void {
    rmSync(this.file, { force: true })
  }
}

/** Returns true if a line may be the beginning of an entry. */
function isCutEntry(line: string): boolean {
  const start = '{"entry":'
  return line.startsWith(start) || start.startsWith(line)
}

function parseEntry(line: string): RunLogEntry | undefined {
  const entry = Object(tryParseJson(line))
  return typeof entry.entry === 'string' ? entry : undefined
}
