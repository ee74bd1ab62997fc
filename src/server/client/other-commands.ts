import { writeFile } from 'node:fs/promises'
import type { JournalEntry } from '../../journal/entry.ts'
import { jsonProblem } from '../../schema/json-text.ts'
import { timestamp } from '../../schema/time.ts'
import { type Arguments, requireNoWords, requireWords } from '../commands/command.ts'
import { caught, reasonFor } from '../errors.ts'
import { paintFor, requestLine } from '../log/log.ts'
import type { Flag } from '../options/table.ts'
import { waited } from '../state.ts'
import { askControl, Refused, type ServerAddress, sayServer, textOf } from './ask.ts'

type Connect = () => Promise<ServerAddress>

export const stateExport = {
  name: 'state export',
  words: '[FILE]',
  summary: 'Write a snapshot of the state to a file, or print it; it has no private keys',
  flags: [],
  example: 'state export snapshot.json',
  async run({ words: [file, ...rest] }: Arguments, connect: Connect): Promise<number> {
    requireNoWords(rest, 'state export [FILE]')
    const server = await connect()
    const text = `${JSON.stringify(await askControl(server, 'GET', '/state'))}\n`
    if (file !== undefined) await written(file, text)
    sayServer(server, file !== undefined)
    if (file === undefined) process.stdout.write(text)
    return 0
  },
}

async function written(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 })
  } catch (cause) {
    const reason = caught(cause).code === 'ENOENT' ? 'its folder does not exist' : reasonFor(cause)
    throw new Error(`${file} cannot be written: ${reason}. Choose a file in a folder that exists.`, { cause })
  }
}

export const stateImport = {
  name: 'state import',
  words: 'FILE',
  summary: 'Replace the state by that of a snapshot',
  flags: [],
  example: 'state import snapshot.json',
  async run({ words: [file, ...rest] }: Arguments, connect: Connect): Promise<number> {
    if (file === undefined) return requireWords('state import', 'FILE', 'state import snapshot.json')
    requireNoWords(rest, 'state import FILE')
    const snapshot = parsed(await textOf(file), file)
    const server = await connect()
    await askControl(server, 'PUT', '/state', snapshot).catch((cause) => {
      if (!(cause instanceof Refused)) throw cause
      throw new Error(`${file} cannot be imported: ${cause.message} (${cause.code})`, { cause })
    })
    sayServer(server, true)
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
  { flag: 'follow', kind: 'switch', value: '', sentence: 'Continue with each further request, until you stop it.' },
  { flag: 'json', kind: 'switch', value: '', sentence: 'Print whole journal entries, one JSON object per line.' },
]

export const requestsCommand = {
  name: 'requests',
  words: '',
  summary: 'The requests and their answers, oldest first',
  flags,
  example: 'requests --follow',
  async run(parsed: Arguments, connect: Connect): Promise<number> {
    requireNoWords(parsed.words, 'requests')
    const server = await connect()
    const write = writer(parsed.flags.get('json') === true)
    let last = ''
    let isSaid = false
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
      if (!isSaid) sayServer(server)
      isSaid = true
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
