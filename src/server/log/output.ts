import { setImmediate as onceAllAreAnswered } from 'node:timers'
import { readClock, systemClock } from '../../engine/clock.ts'

/** How many bytes may wait for whoever reads a stream; of what comes after that, only the number of texts is kept. */
const MOST_WAITING = 1024 * 1024

/**
 * Writes texts to a stream: those of all requests that were answered together at once, since each write takes as long as an
 * answer. What nobody reads neither fills the memory nor stops the server.
 */
export function writerTo(stream: NodeJS.WritableStream & { readonly writableLength: number }): (text: string) => void {
  let missed = 0
  let waiting = ''
  const write = () => {
    const text = waiting
    waiting = ''
    process.off('exit', write)
    if (text !== '') stream.write(text)
  }
  return (text) => {
    if (stream.writableLength > MOST_WAITING) missed++
    else {
      if (missed > 0)
        process.stderr.write(`fauxgate: warning: ${missed} lines of the log are missing: nobody read them.\n`)
      missed = 0
      if (waiting === '') {
        onceAllAreAnswered(write)
        process.on('exit', write)
      }
      waiting += text
    }
  }
}

/** How long a process that is to end waits for whoever reads what it said. */
const LAST_WORDS_MS = 1000

/** Resolves when what a stream was given is read, or nobody can be expected to. */
export async function read(stream: NodeJS.WritableStream): Promise<void> {
  // By then it was given all of it.
  await new Promise((resolve) => onceAllAreAnswered(resolve))
  const done = new AbortController()
  stream.write('', () => done.abort())
  await Promise.resolve(systemClock.waitUntil?.(readClock(systemClock) + LAST_WORDS_MS, done.signal)).catch(
    () => undefined,
  )
}
