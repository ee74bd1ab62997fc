import { Queue } from '../../core/engine/queue.ts'
import { utf8Length } from '../../core/schema/platform.ts'

/** The limits of a journal. */
export interface JournalLimits {
  /** The maximum number of entries. */
  readonly size: number
  /** The maximum total size of all entries in bytes, counting two bytes per character. */
  readonly bytes: number
}

/** The most recent rows of a journal, within its limits. */
export class JournalRows<Row extends { readonly bytes: number }> {
  readonly #queue = new Queue<Row>()
  #bytes = 0

  constructor(
    readonly limits: JournalLimits,
    /** Receives each row that exceeds the limits. */
    readonly onDropped: (row: Row) => void = () => undefined,
  ) {}

  get size(): number {
    return this.#queue.size
  }

  get first(): Row | undefined {
    return this.#queue.first
  }

  get last(): Row | undefined {
    return this.#queue.last
  }

  /** Returns all rows, oldest first. */
  all(): Row[] {
    return this.#queue.all()
  }

  add(row: Row): void {
    this.#queue.add(row)
    this.#bytes += row.bytes
    this.#enforceLimits()
  }

  /** Adds rows, oldest first, before the others. */
  restore(rows: readonly Row[]): void {
    this.#queue.replace([...rows, ...this.all()])
    for (const { bytes } of rows) this.#bytes += bytes
    this.#enforceLimits()
  }

  clear(): void {
    this.#queue.replace([])
    this.#bytes = 0
  }

  #enforceLimits(): void {
    const { size, bytes } = this.limits
    while (this.#bytes > bytes || this.size > size) {
      const oldest = this.#queue.drop()
      if (!oldest) return
      this.#bytes -= oldest.bytes
      this.onDropped(oldest)
    }
  }
}

/** The maximum size of a list in bytes. A platform cannot create a string that is much longer. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024

/** Returns entries as a JSON list, oldest first. Omits the oldest entries if the text would exceed the maximum number of bytes. */
export function toJsonList(newestFirst: Iterable<object>, bytes: number): string {
  const texts: string[] = []
  // The brackets and commas are one character more than there are entries.
  let room = Math.min(bytes, MAX_TEXT_BYTES) - 1
  for (const entry of newestFirst) {
    const text = JSON.stringify(entry)
    room -= utf8Length(text) + 1
    if (room < 0) break
    texts.push(text)
  }
  return `[${texts.reverse().join()}]`
}
