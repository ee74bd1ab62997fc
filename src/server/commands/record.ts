import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { version } from '../../../package.json'
import { dialectNames, dialects } from '../../resources/dialects.ts'
import { counted } from '../../schema/text.ts'
import { recordingText } from '../../verify/sanitize.ts'
import { baseOf } from '../client/ask.ts'
import { caught, UsageError } from '../errors.ts'
import { notWritten } from '../files.ts'
import { integerFlag, textFlag } from '../options/table.ts'
import { Recorder } from '../recorder.ts'
import { print, say, warn } from '../terminal.ts'
import { waited } from '../waiting.ts'
import { requireFree } from './announce.ts'
import { type Arguments, type Command, flagValue, notUrl, requireNoWords, requireOne } from './command.ts'
import { requireCount } from './verify-flags.ts'

const HOST = '127.0.0.1'
const DEFAULT_TIMEOUT = 30

const flags = [
  textFlag('to', 'URL', 'The base URL of the service that requests are passed on to.'),
  textFlag('out', 'FILE', 'The file for the recording. Default: `recording.har`.'),
  textFlag('dialect', dialectNames.join('|'), 'The dialect of the service. Default: `ngrok`.'),
  integerFlag('port', 'The port of this machine to listen on. Default: any free one.'),
  integerFlag('timeout', `The seconds to wait for an answer of the service. Default: ${DEFAULT_TIMEOUT}.`),
]

export const recordCommand: Command = {
  name: 'record',
  words: '',
  summary: 'Run a proxy in front of a service, and record the requests and responses',
  flags,
  notes: [
    'It listens on this machine alone until SIGINT, SIGTERM or SIGHUP stops it. It writes the recording then, and every 2 s while requests come.',
    'A request that gets no answer is answered with 502 or 504, named, and not recorded.',
    'Secrets, keys, ids, names and addresses are replaced in the recording; the client gets the answers unchanged, but for URLs that lead through this program.',
  ],
  run: runRecord,
}

async function runRecord(parsed: Arguments): Promise<number> {
  requireNoWords(parsed.words, 'record', parsed)
  const value = (flag: string) => flagValue(parsed, flag)
  const target = targetOf(value('to'))
  const dialect = requireOne('--dialect', value('dialect') ?? 'ngrok', dialectNames)
  const file = value('out') ?? 'recording.har'
  const stopped = new AbortController()
  const facts = { client: 'fauxgate record', version, dialect, url: target }
  const recording = recordingFile(
    file,
    () => recordingText(recorder.exchanges, [...recorder.keys], facts),
    stopped.signal,
  )
  const recorder = new Recorder({
    target,
    dialect: dialects[dialect],
    timeout: requireCount('--timeout', value('timeout'), DEFAULT_TIMEOUT, 600) * 1000,
    warn,
    onExchange: () => void recording.writeSoon().catch((error) => warn(caught(error).message)),
  })
  const wanted = portOf(value('port'))
  await requireFree(HOST, wanted)
  recording.write()
  const server = await listening(recorder, wanted)
  const { port } = server.address() as AddressInfo // It listens on a port.
  say(`fauxgate records ${target} at http://${HOST}:${port}`)
  await Promise.race(ENDS.map((name) => once(process, name, { signal: stopped.signal })))
  stopped.abort()
  server.close()
  recorder.stop()
  server.closeAllConnections()
  recording.write()
  return print(`${counted(recorder.exchanges.length, 'exchange')} in ${file}\n`)
}

/** The most time whose exchanges a killed process loses. */
const BETWEEN_WRITES_MS = 2000

/** A file that is written as a whole, so that a killed process leaves the last text. */
function recordingFile(file: string, text: () => string, signal: AbortSignal) {
  let isPaused = false
  let isStale = false
  const write = () => {
    const next = `${file}.next`
    try {
      writeFileSync(next, text(), { mode: 0o600 })
      renameSync(next, file)
    } catch (error) {
      throw notWritten(file, error)
    }
  }
  /** Writes at once, or once the last time is long enough ago. */
  const writeSoon = async (): Promise<void> => {
    isStale = isPaused
    if (isPaused) return
    isPaused = true
    write()
    await waited(BETWEEN_WRITES_MS, signal)
    isPaused = false
    if (isStale && !signal.aborted) await writeSoon()
  }
  return { write, writeSoon }
}

/** Listens on this machine alone. */
async function listening(recorder: Recorder, port: number): Promise<Server> {
  const server = createServer((request, response) => void recorder.pass(request, response))
  server.listen(port, HOST)
  await once(server, 'listening')
  return server
}

function portOf(typed = '0'): number {
  if (/^\d{1,5}$/.test(typed) && Number(typed) <= 65_535) return Number(typed)
  throw new UsageError(`--port is ${JSON.stringify(typed)}. Allowed: a whole number from 0 to 65535.`)
}

const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function targetOf(typed: string | undefined): string {
  const url = typed !== undefined && URL.canParse(typed) ? new URL(typed) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '') return baseOf(url)
  throw new UsageError(
    `record needs the URL of a service${notUrl(typed)}, for example "fauxgate record --to https://api.ngrok.com".`,
  )
}
