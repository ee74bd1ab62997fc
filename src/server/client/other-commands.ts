import { writeFile } from 'node:fs/promises'
import type { JournalEntry } from '../../journal/entry.ts'
import { jsonProblem } from '../../schema/json-text.ts'
import { timestamp } from '../../schema/time.ts'
import { type Arguments, requireNoWords } from '../commands/command.ts'
import { UsageError } from '../errors.ts'
import { paintFor, requestLine } from '../log/log.ts'
import type { Flag } from '../options/table.ts'
import { waited } from '../state.ts'
import { askControl, type ServerAddress, textOf } from './ask.ts'

export const stateExport = {
  name: 'state export',
  words: '[FILE]',
  summary: 'Write a snapshot of the state to a file, or print it; it has no private keys',
  flags: [],
  async run({ words: [file, ...rest] }: Arguments, server: ServerAddress): Promise<number> {
    requireNoWords(rest, 'state export')
    const text = `${JSON.stringify(await askControl(server, 'GET', '/state'))}\n`
    if (file === undefined) process.stdout.write(text)
    else await writeFile(file, text, { mode: 0o600 })
    return 0
  },
}

export const stateImport = {
  name: 'state import',
  words: 'FILE',
  summary: 'Put the state of a snapshot in the place of the state',
  flags: [],
  async run({ words: [file, ...rest] }: Arguments, server: ServerAddress): Promise<number> {
    if (file === undefined) throw new UsageError('Behind state import comes FILE.')
    requireNoWords(rest, 'state import')
    await askControl(server, 'PUT', '/state', parsed(await textOf(file), file))
    return 0
  },
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${file} is not JSON: ${jsonProblem(text)}.`)
  }
}

const flags: readonly Flag[] = [
  { flag: 'follow', kind: 'switch', value: '', sentence: 'Go on with each further one, until it is stopped.' },
  { flag: 'json', kind: 'switch', value: '', sentence: 'Whole entries of the journal, a JSON object a line.' },
]

export const requestsCommand = {
  name: 'requests',
  words: '',
  summary: 'What was asked and answered, oldest first',
  flags,
  async run(parsed: Arguments, server: ServerAddress): Promise<number> {
    requireNoWords(parsed.words, 'requests')
    const write = writer(parsed.flags.get('json') === true)
    let last = ''
    const stopped = new AbortController()
    const stop = () => stopped.abort()
    for (const name of ENDS) process.once(name, stop)
    process.stdout.once('error', stop)
    do {
      // The answer of this call.
      const entries = (await askControl(
        server,
        'GET',
        `/requests${last && `?after=${last}`}`,
      )) as readonly JournalEntry[]
      for (const entry of entries) process.stdout.write(`${write(entry)}\n`)
      last = entries.at(-1)?.operationId ?? last
    } while (parsed.flags.get('follow') && (await waited(POLL_MS, stopped.signal)))
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
    const body = status >= 400 && typeof response === 'object' && response ? response : {}
    // Each error of the gateway has both; a fault's own body may have neither.
    const { error_code = null, msg = null } = body as { readonly error_code?: string; readonly msg?: string }
    const request = { at: Date.parse(at), method, path, operation, status, error: error_code, message: msg }
    return requestLine({ ...request, duration: null }, paint, timestamp)
  }
}
