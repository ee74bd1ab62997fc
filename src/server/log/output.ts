import { warn } from '../terminal.ts'
import { waited } from '../waiting.ts'

/** The most bytes that wait for the reader of a stream. Later texts are only counted. */
const MOST_WAITING = 1024 * 1024

/** The time for which texts are collected. Each write takes as long as a response, and wakes the reader of a pipe. */
const COLLECTED_MS = 5

/**
 * Writes texts to a stream, in order, those of a few milliseconds together. What nobody reads neither fills the memory nor
 * stops the server.
 */
export class LogOutput {
  readonly #stream: NodeJS.WritableStream & { readonly writableLength: number }
  #missed = 0
  #collected = ''

  constructor(stream: NodeJS.WritableStream & { readonly writableLength: number }) {
    this.#stream = stream
  }

  write(text: string): void {
    if (this.#stream.writableLength > MOST_WAITING) {
      this.#missed++
      return
    }
    if (this.#missed > 0) {
      warn(`${this.#missed} lines of the log are missing: nobody read them.`)
      this.#missed = 0
    }
    if (this.#collected === '') {
      process.on('exit', this.flush)
      void waited(COLLECTED_MS).then(this.flush)
    }
    this.#collected += text
  }

  readonly flush = (): void => {
    process.off('exit', this.flush)
    const text = this.#collected
    this.#collected = ''
    if (text !== '') this.#stream.write(text)
  }
}

/** The time for which a process that is to end waits for the reader of its output. */
const LAST_WORDS_MS = 1000

/** Resolves when what a stream was given is read, or nobody can be expected to. */
export async function read(stream: NodeJS.WritableStream): Promise<void> {
  const done = new AbortController()
  stream.write('', () => done.abort())
  await waited(LAST_WORDS_MS, done.signal)
}
