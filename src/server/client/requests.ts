import type { JournalEntry } from '../../journal/entry.ts'
import { timestamp } from '../../schema/time.ts'
import { type Arguments, requireNoWords } from '../commands/arguments.ts'
import type { DocumentedFlag } from '../commands/command.ts'
import { paintFor } from '../log/colours.ts'
import { requestLine } from '../log/log.ts'
import { waited } from '../state/kept-state.ts'
import { askControl, type Where } from './ask.ts'

const flags: readonly DocumentedFlag[] = [
  { flag: 'follow', kind: 'switch', value: '', sentence: 'Go on with each further one, until it is stopped.' },
  { flag: 'json', kind: 'switch', value: '', sentence: 'Whole entries of the journal, a JSON object a line.' },
]

/** `fauxgate requests`: the journal of a running server. */
export const requestsCommand = {
  name: 'requests',
  words: '',
  summary: 'What was asked and answered, oldest first',
  flags,
  async run(given: Arguments, where: Where): Promise<number> {
    requireNoWords(given.words, 'requests')
    const write = writer(given.flags.get('json') === true)
    let last = ''
    const stopped = new AbortController()
    const stop = () => stopped.abort()
    for (const name of ENDS) process.once(name, stop)
    process.stdout.once('error', stop)
    do {
      // The answer of this call.
      const entries = (await askControl(
        where,
        'GET',
        `/requests${last && `?after=${last}`}`,
      )) as readonly JournalEntry[]
      for (const entry of entries) process.stdout.write(`${write(entry)}\n`)
      last = entries.at(-1)?.operationId ?? last
    } while (given.flags.get('follow') && (await waited(POLL_MS, stopped.signal)))
    for (const name of ENDS) process.off(name, stop)
    process.stdout.off('error', stop)
    return 0
  },
}

const POLL_MS = 500
const ENDS = ['SIGINT', 'SIGTERM'] as const

function writer(isJson: boolean): (entry: JournalEntry) => string {
  if (isJson) return (entry) => JSON.stringify(entry)
  const paint = paintFor(process.stdout, process.env)
  return ({ at, method, path, operation, status, response }) => {
    // Every error is answered so; a fault's own body may have none of it.
    const { error_code = null, msg = null } = (
      status >= 400 && typeof response === 'object' && response ? response : {}
    ) as {
      readonly error_code?: string
      readonly msg?: string
    }
    const line = {
      at: Date.parse(at),
      method,
      path,
      operation,
      status,
      error: error_code,
      message: msg,
      duration: null,
    }
    return requestLine(line, paint, timestamp)
  }
}
