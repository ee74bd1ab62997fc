import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { leftIn, type MadeEntry, type MadeList } from '../verify/made.ts'
import { caught } from './errors.ts'
import { notRead, notWritten } from './files.ts'

/** The list of what a run of `verify` makes, as a file of JSON lines: each is on the disk before the call that it is about. */
export class MadeFile implements MadeList {
  #descriptor: number | undefined

  constructor(readonly file: string) {}

  /**
   * Reads the entries; none if there is no file. The last line may have been cut off by a crash before its call was sent.
   * @throws Error if the file holds something else.
   */
  read(): readonly MadeEntry[] {
    const lines = this.#text().split('\n')
    const last = lines.pop() ?? ''
    const entries = lines.filter((line) => line !== '').map((line) => this.#entryOf(line))
    return last === '' ? entries : [...entries, ...this.#whole(last)]
  }

  #text(): string {
    try {
      return readFileSync(this.file, 'utf8')
    } catch (error) {
      if (caught(error).code === 'ENOENT') return ''
      throw notRead(this.file, error)
    }
  }

  #entryOf(line: string): MadeEntry {
    const [entry] = this.#whole(line)
    if (entry) return entry
    throw new Error(`${this.file} is not a list of "fauxgate verify". Name another one with --list.`)
  }

  #whole(line: string): MadeEntry[] {
    try {
      const entry = JSON.parse(line)
      return typeof entry?.entry === 'string' ? [entry] : []
    } catch {
      return []
    }
  }

  /** Returns whether a run may have left something. */
  get hasLeft(): boolean {
    const { made, unsure } = leftIn(this.read())
    return made.length + unsure.length > 0
  }

  add(entry: MadeEntry): void {
    // It names resources of an account.
    this.#descriptor ??= this.#opened()
    writeSync(this.#descriptor, `${JSON.stringify(entry)}\n`)
    fsyncSync(this.#descriptor)
  }

  #opened(): number {
    try {
      return openSync(this.file, 'a', 0o600)
    } catch (error) {
      throw notWritten(this.file, error)
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  remove(): void {
    this.close()
    rmSync(this.file, { force: true })
  }
}
