import { formatCount } from '../../core/schema/text.ts'
import { warn } from '../terminal.ts'
import { sleep } from '../waiting.ts'

/** The maximum number of bytes that wait for the reader of a stream. Later strings are dropped and counted. */
const MAX_WAITING_BYTES = 1024 * 1024

/** The time in ms for which output is collected before a write. Each write costs as much as a response, and wakes the reader. */
const COLLECT_MS = 5

/**
 * A writer that collects strings for a few milliseconds and writes them to a stream, in order. If the stream is not read, it drops strings,
 * so that the log neither fills up memory nor stops the server.
 */
export class LogOutput {
  readonly #stream: NodeJS.WritableStream & { readonly writableLength: number }
  #droppedCount = 0
  #collected = ''

  constructor(stream: NodeJS.WritableStream & { readonly writableLength: number }) {
    this.#stream = stream
  }

  write(text: string): void {
    if (this.#stream.writableLength > MAX_WAITING_BYTES) {
      this.#droppedCount++
      return
    }
    if (this.#droppedCount > 0) {
      const missing = formatCount(this.#droppedCount, 'line of the log is missing', 'lines of the log are missing')
      warn(`${missing} because the output was not read.`)
      this.#droppedCount = 0
    }
    if (this.#collected === '') {
      process.on('exit', this.flush)
      void sleep(COLLECT_MS).then(this.flush)
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

/** The time in ms that an exiting process waits for the reader of its output. */
const READ_TIMEOUT_MS = 1000

/** Resolves when all output of a stream has been read, or after {@link READ_TIMEOUT_MS}. */
export async function drain(stream: NodeJS.WritableStream): Promise<void> {
  const done = new AbortController()
  stream.write('', () => done.abort())
  await sleep(READ_TIMEOUT_MS, done.signal)
}
