import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { version } from '../../../package.json'
import { type DialectName, dialects } from '../../resources/dialects.ts'
import { counted } from '../../schema/text.ts'
import { recordingText } from '../../verify/recording.ts'
import { caught, UsageError } from '../errors.ts'
import type { Flag } from '../options/table.ts'
import { Recorder } from '../recorder.ts'
import { requireFree, warn } from './announce.ts'
import { type Arguments, type Command, requireNoWords } from './command.ts'
import { requireCount } from './verify-flags.ts'

const names = Object.keys(dialects) as DialectName[] // The keys of the same object.

const HOST = '127.0.0.1'
const DEFAULT_TIMEOUT = 30

const flags: readonly Flag[] = [
  text('to', 'URL', 'The base URL of the service that requests are passed on to.'),
  text('out', 'FILE', 'The file for the recording. Default: `recording.har`.'),
  text('dialect', names.join('|'), 'The dialect of the service. Default: `ngrok`.'),
  {
    flag: 'port',
    kind: 'integer',
    value: 'N',
    sentence: 'The port of this machine to listen on. Default: any free one.',
  },
  {
    flag: 'timeout',
    kind: 'integer',
    value: 'N',
    sentence: `The seconds to wait for an answer of the service. Default: ${DEFAULT_TIMEOUT}.`,
  },
]

function text(flag: string, value: string, sentence: string): Flag {
  return { flag, kind: 'text', value, sentence }
}

export const recordCommand: Command = {
  name: 'record',
  words: '',
  summary: 'Run as a proxy of a service, and record its requests and answers',
  flags,
  notes: [
    'It listens on this machine alone, and writes the recording when SIGINT or SIGTERM stops it.',
    'A request that gets no answer is answered with 502 or 504, named, and not recorded.',
    'Secrets, keys, ids, names and addresses are replaced in the recording; the client gets the answers unchanged, but for URLs that lead through this program.',
  ],
  run: runRecord,
}

async function runRecord({ flags: given, words }: Arguments): Promise<number> {
  requireNoWords(words, 'record')
  const value = (flag: string) => {
    const values = given.get(flag)
    return Array.isArray(values) ? values[0] : undefined
  }
  const target = targetOf(value('to'))
  const dialect = names.find((name) => name === (value('dialect') ?? 'ngrok'))
  if (!dialect) throw new UsageError(`--dialect is ${JSON.stringify(value('dialect'))}. Allowed: ${names.join(', ')}.`)
  const file = value('out') ?? 'recording.har'
  const recorder = new Recorder({
    target,
    dialect: dialects[dialect],
    timeout: requireCount('--timeout', value('timeout'), DEFAULT_TIMEOUT, 600) * 1000,
    warn,
  })
  const wanted = portOf(value('port'))
  await requireFree(HOST, wanted)
  requireOut(file)
  const server = await listening(recorder, wanted)
  const { port } = server.address() as AddressInfo // It listens on a port.
  process.stdout.write(`fauxgate records ${target} at http://${HOST}:${port}\n`)
  await Promise.race(ENDS.map((name) => once(process, name)))
  server.close()
  recorder.stop()
  server.closeAllConnections()
  const facts = { client: 'fauxgate record', version, dialect, url: target }
  writeFileSync(file, recordingText(recorder.exchanges, [...recorder.keys], facts), { mode: 0o600 })
  process.stdout.write(`${counted(recorder.exchanges.length, 'exchange')} in ${file}\n`)
  return 0
}

/** Makes sure, before anything is recorded, that the file can be written. */
function requireOut(file: string): void {
  try {
    appendFileSync(file, '', { mode: 0o600 })
  } catch (error) {
    throw new Error(`The recording ${file} cannot be written: ${caught(error).message}`, { cause: error })
  }
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

const ENDS = ['SIGINT', 'SIGTERM'] as const

function targetOf(typed: string | undefined): string {
  const url = typed !== undefined && URL.canParse(typed) ? new URL(typed) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '')
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  throw new UsageError('record needs the URL of a service, for example "fauxgate record --to https://api.ngrok.com".')
}
