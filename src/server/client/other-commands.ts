import { timestamp } from '../../core/schema/time.ts'
import type { JournalEntry } from '../../generated/controls.ts'
import { type Command, requireNoWords, requireOneWord } from '../commands/command.ts'
import { readErrorBody } from '../errors.ts'
import { parseJson, readText, writeText } from '../files.ts'
import { createPainter, requestLine } from '../log/log.ts'
import { SERVER_FLAGS, switchFlag } from '../options/flags.ts'
import { print, printLine, printStyled } from '../terminal.ts'
import { onSignals, sleep } from '../waiting.ts'
import { ControlError, callControl, printServer, readServerAddress } from './server-calls.ts'
import { request } from './traffic-commands.ts'

const stateExport: Command = {
  name: 'state export',
  words: '[FILE]',
  summary: 'Write a snapshot of the state, without private keys, to a file or standard output',
  flags: SERVER_FLAGS,
  example: 'state export snapshot.json',
  async run(parsed, environment) {
    const [file, ...rest] = parsed.words
    requireNoWords(rest, 'state export [FILE]', parsed)
    const server = await readServerAddress(parsed, environment)
    const text = `${JSON.stringify(await callControl(server, 'GET', '/state'))}\n`
    if (file !== undefined) await writeText(file, text)
    printServer(server, file !== undefined)
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
    const file = requireOneWord(stateImport, parsed)
    const snapshot = parseJson(await readText(file), file)
    const server = await readServerAddress(parsed, environment)
    await callControl(server, 'PUT', '/state', snapshot).catch((cause) => {
      if (!(cause instanceof ControlError)) throw cause
      throw new Error(`${file} cannot be imported: ${cause.message}`, { cause })
    })
    printServer(server, true)
    return 0
  },
}

const requests: Command = {
  name: 'requests',
  words: '',
  summary: 'Show the requests and their responses, oldest first',
  flags: [
    switchFlag('follow', 'Keep printing new requests until you stop it.'),
    switchFlag('json', 'Print whole journal entries, one JSON object per line.'),
    ...SERVER_FLAGS,
  ],
  example: 'requests --follow',
  async run(parsed, environment) {
    requireNoWords(parsed.words, 'requests', parsed)
    const server = await readServerAddress(parsed, environment)
    const show = createPrinter(parsed.flags.get('json') === true, environment)
    let last = ''
    let isSaid = false
    const stopped = new AbortController()
    const stop = () => stopped.abort()
    const end = onSignals(['SIGINT', 'SIGTERM'], stop)
    process.stdout.once('error', stop)
    try {
      do {
        const path = `/requests${last && `?after=${last}`}`
        // The type of this call's response.
        const entries = (await callControl(server, 'GET', path)) as readonly JournalEntry[]
        if (!isSaid) printServer(server)
        isSaid = true
        for (const entry of entries) show(entry)
        last = entries.at(-1)?.operationId ?? last
      } while (parsed.flags.get('follow') && (await sleep(POLL_MS, stopped.signal)))
    } finally {
      end()
      process.stdout.off('error', stop)
    }
    return 0
  },
}

const POLL_MS = 500

function createPrinter(isJson: boolean, environment: NodeJS.ProcessEnv): (entry: JournalEntry) => void {
  if (isJson) return (entry) => printLine(JSON.stringify(entry))
  const paint = createPainter(process.stdout, environment)
  return ({ at, method, path, operation, status, response }) => {
    const problem = readErrorBody(status >= 400 ? response : undefined)
    const request = { at: Date.parse(at), method, path, operation, status, ...problem, duration: null }
    printStyled(requestLine(request, timestamp), paint)
  }
}

/** The commands that a row of the table cannot describe: they read files, call a control repeatedly, or have their own flags. */
export const otherCommands: readonly Command[] = [requests, request, stateExport, stateImport]
