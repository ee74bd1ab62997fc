import { readClock, systemClock } from '../../engine/clock.ts'

/** How many bytes may wait for whoever reads a stream; of what comes after that, only the number of texts is kept. */
const MOST_WAITING = 1024 * 1024

/** Writes texts to a stream. What nobody reads neither fills the memory nor stops the server. */
export function writerTo(stream: NodeJS.WritableStream & { readonly writableLength: number }): (text: string) => void {
  let missed = 0
  return (text) => {
    if (stream.writableLength > MOST_WAITING) missed++
    else {
      if (missed > 0)
        process.stderr.write(`fauxgate: warning: ${missed} lines of the log are missing: nobody read them.\n`)
      missed = 0
      stream.write(text)
    }
  }
}

/** How long a process that is to end waits for whoever reads what it said. */
const LAST_WORDS_MS = 1000

/** Resolves when what a stream was given is read, or nobody can be expected to. */
export async function read(stream: NodeJS.WritableStream): Promise<void> {
  const done = new AbortController()
  stream.write('', () => done.abort())
  await Promise.resolve(systemClock.waitUntil?.(readClock(systemClock) + LAST_WORDS_MS, done.signal)).catch(
    () => undefined,
  )
}
