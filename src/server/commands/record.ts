import { version } from '../../../package.json'
import { formatCount } from '../../core/schema/text.ts'
import { MAX_HEAD_BYTES } from '../../service/policy/url-text.ts'
import { dialectNames, dialects } from '../../service/resources/dialects.ts'
import { recordingText } from '../../verify/sanitize.ts'
import { baseUrlOf } from '../client/server-calls.ts'
import { asSystemError, UsageError } from '../errors.ts'
import { replaceFile } from '../files.ts'
import { createServer, listenAt } from '../http.ts'
import { integerFlag, textFlag } from '../options/flags.ts'
import { Recorder } from '../recorder.ts'
import { takeTurns } from '../request-queue.ts'
import { print, printLine, warn } from '../terminal.ts'
import { sleep, waitForSignal } from '../waiting.ts'
import { requireFreePort } from './announce.ts'
import { type Arguments, type Command, flagValue, parseBaseUrl, requireNoWords, requireOneOf } from './command.ts'
import { parseCount } from './verify-flags.ts'

const HOST = '127.0.0.1'
const DEFAULT_TIMEOUT = 30

const flags = [
  textFlag('to', 'URL', 'The base URL of the service to forward requests to.'),
  textFlag('out', 'FILE', 'The file to write the recording to. Default: `recording.har`.'),
  textFlag('dialect', dialectNames.join('|'), 'The dialect of the service. Default: `ngrok`.'),
  integerFlag('port', 'The local port to listen on. Default: any free port.'),
  integerFlag('timeout', `How many seconds to wait for the service to respond. Default: ${DEFAULT_TIMEOUT}.`),
]

export const recordCommand: Command = {
  name: 'record',
  words: '',
  summary: "Run a proxy that records a service's requests and responses",
  flags,
  notes: [
    'The proxy listens on this machine until SIGINT, SIGTERM, or SIGHUP stops it. It saves the recording when it stops, and every 2 s while requests arrive.',
    'If the service does not respond, the client receives 502 or 504. The request is not recorded, and a warning is printed for it.',
    "In the recording, placeholders replace secrets, keys, IDs, names, and addresses. The client receives the responses unchanged, except that the service's URLs become this proxy's URLs.",
  ],
  run: runRecord,
}

async function runRecord(parsed: Arguments): Promise<number> {
  const value = (flag: string) => flagValue(parsed, flag)
  const [typed] = parsed.words
  if (value('to') === undefined && typed !== undefined && URL.canParse(typed))
    throw new UsageError('record takes the URL after --to: "fauxgate record --to URL".')
  requireNoWords(parsed.words, 'record', parsed)
  const target = baseUrlOf(
    parseBaseUrl(value('to') ?? '', 'record needs the URL of a service', 'record --to https://api.ngrok.com'),
  )
  const dialect = requireOneOf('--dialect', value('dialect') ?? 'ngrok', dialectNames)
  const file = value('out') ?? 'recording.har'
  const recorder = new Recorder({
    target,
    dialect: dialects[dialect],
    timeout: parseCount('--timeout', value('timeout'), DEFAULT_TIMEOUT, 600) * 1000,
    warn,
  })
  const facts = { client: 'fauxgate record', version, dialect, url: target }
  const save = async () => replaceFile(file, recordingText(recorder.exchanges, [...recorder.keys], facts))
  const requestedPort = parseCount('--port', value('port'), 0, 65_535, 0)
  await requireFreePort(HOST, requestedPort)
  await save()
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES })
  takeTurns(server, { open: () => (response) => void recorder.forward(response.req, response) })
  const { port } = await listenAt(server, requestedPort, HOST)
  printLine(`fauxgate records ${target} at http://${HOST}:${port}`)
  const stopped = new AbortController()
  const saving = saveRepeatedly(recorder, save, stopped.signal)
  await waitForSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], stopped.signal)
  stopped.abort()
  await saving
  server.close()
  recorder.stop()
  server.closeAllConnections()
  await save()
  return print(`${formatCount(recorder.exchanges.length, 'exchange')} in ${file}\n`)
}

/** The interval between saves. A killed process loses the exchanges since the last save. */
const SAVE_INTERVAL_MS = 2000

/** Saves a recording at intervals if it has grown, until the signal is aborted. */
async function saveRepeatedly(recorder: Recorder, save: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let savedCount = 0
  let isFailing = false
  while (await sleep(SAVE_INTERVAL_MS, signal)) {
    const { length } = recorder.exchanges
    if (length === savedCount) continue
    try {
      await save()
      savedCount = length
      isFailing = false
    } catch (error) {
      // Printed once: the next interval retries.
      if (!isFailing) warn(`could not save the recording, and will try again: ${asSystemError(error).message}`)
      isFailing = true
    }
  }
}
