import type { JournalEntry } from '../../journal/entry.ts'
import { timestamp } from '../../schema/time.ts'
import { type Command, requireNoWords, requireWords } from '../commands/command.ts'
import { jsonIn, textOf, write } from '../files.ts'
import { paintFor, requestLine } from '../log/log.ts'
import { SERVER_FLAGS, switchFlag } from '../options/table.ts'
import { print, say } from '../terminal.ts'
import { onSignals, waited } from '../waiting.ts'
import { askControl, Refused, sayServer, serverAddress } from './ask.ts'

const stateExport: Command = {
  name: 'state export',
  words: '[FILE]',
  summary: 'Write a snapshot of the state to a file, or print it; it contains no private keys',
  flags: SERVER_FLAGS,
  example: 'state export snapshot.json',
  async run(parsed, environment) {
    const [file, ...rest] = parsed.words
    requireNoWords(rest, 'state export [FILE]', parsed)
    const server = await serverAddress(parsed, environment)
    const text = `${JSON.stringify(await askControl(server, 'GET', '/state'))}\n`
    if (file !== undefined) await write(file, text)
    sayServer(server, file !== undefined)
    return file === undefined ? print(text) : 0
  },
}

const stateImport: Command = {
  name: 'state import',
  words: 'FILE',
  summary: 'Replace the state with a snapshot',
  flags: SERVER_FLAGS,
  example: 'state import snapshot.json',
  async run(parsed, environment) {
    const [file, ...rest] = parsed.words
    if (file === undefined) return requireWords('state import', 'FILE', 'state import snapshot.json')
    requireNoWords(rest, 'state import FILE', parsed)
    const snapshot = jsonIn(await textOf(file), file)
    const server = await serverAddress(parsed, environment)
    await askControl(server, 'PUT', '/state', snapshot).catch((cause) => {
      if (!(cause instanceof Refused)) throw cause
      throw new Error(`${file} cannot be imported: ${cause.message} (${cause.code})`, { cause })
    })
    sayServer(server, true)
    return 0
  },
}

const requests: Command = {
  name: 'requests',
  words: '',
  summary: 'Show the requests and their responses, oldest first',
  flags: [
    switchFlag('follow', 'Continue with each further request, until you stop it.'),
    switchFlag('json', 'Print whole journal entries, one JSON object per line.'),
    ...SERVER_FLAGS,
  ],
  example: 'requests --follow',
  async run(parsed, environment) {
    requireNoWords(parsed.words, 'requests', parsed)
    const server = await serverAddress(parsed, environment)
    const line = writer(parsed.flags.get('json') === true)
    let last = ''
    let isSaid = false
    const stopped = new AbortController()
    const stop = () => stopped.abort()
    const end = onSignals(['SIGINT', 'SIGTERM'], stop)
    process.stdout.once('error', stop)
    do {
      const path = `/requests${last && `?after=${last}`}`
      // The type of this call's answer.
      const entries = (await askControl(server, 'GET', path)) as readonly JournalEntry[]
      if (!isSaid) sayServer(server)
      isSaid = true
      for (const entry of entries) say(line(entry))
      last = entries.at(-1)?.operationId ?? last
    } while (parsed.flags.get('follow') && (await waited(POLL_MS, stopped.signal)))
    end()
    process.stdout.off('error', stop)
    return 0
  },
}

const POLL_MS = 500

function writer(isJson: boolean): (entry: JournalEntry) => string {
  if (isJson) return (entry) => JSON.stringify(entry)
  const paint = paintFor(process.stdout, process.env)
  return ({ at, method, path, operation, status, response }) => {
    const body = status >= 400 && typeof response === 'object' && response ? response : {}
    // Each error of the gateway has these two fields. The body of a fault may lack both.
    const { error_code = null, msg = null } = body as { readonly error_code?: string; readonly msg?: string }
    const request = { at: Date.parse(at), method, path, operation, status, error: error_code, message: msg }
    return requestLine({ ...request, duration: null }, paint, timestamp)
  }
}

/** The commands that need more than one row of the table: they read files, or call a control repeatedly. */
export const otherCommands: readonly Command[] = [requests, stateExport, stateImport]
