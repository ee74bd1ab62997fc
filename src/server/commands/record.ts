import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { version } from '../../../package.json'
import { readClock, systemClock } from '../../engine/clock.ts'
import { type DialectName, dialects } from '../../resources/dialects.ts'
import { counted } from '../../schema/text.ts'
import { answerOf } from '../../verify/exchange.ts'
import type { RecordedExchange } from '../../verify/har.ts'
import { recordingText } from '../../verify/recording.ts'
import { caught, UsageError } from '../errors.ts'
import type { Flag } from '../options/table.ts'
import { type Arguments, type Command, requireNoWords } from './command.ts'

const names = Object.keys(dialects) as DialectName[] // The keys of the same object.

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
  const exchanges: RecordedExchange[] = []
  const keys = new Set<string>()
  const server = createServer((request, response) => {
    void passOn(target, request, response, exchanges, keys, dialects[dialect].versionHeader.toLowerCase())
  })
  server.listen(Number(value('port') ?? 0), '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on a port.
  process.stdout.write(`fauxgate records ${target} at http://127.0.0.1:${port}\n`)
  await Promise.race(ENDS.map((name) => once(process, name)))
  server.close()
  server.closeAllConnections()
  const facts = { client: 'fauxgate record', version, dialect, url: target }
  writeFileSync(file, recordingText(exchanges, [...keys], facts), { mode: 0o600 })
  process.stdout.write(`${counted(exchanges.length, 'exchange')} in ${file}\n`)
  return 0
}

const ENDS = ['SIGINT', 'SIGTERM'] as const

function targetOf(typed: string | undefined): string {
  const url = typed !== undefined && URL.canParse(typed) ? new URL(typed) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '')
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  throw new UsageError('record needs the URL of a service, for example "fauxgate record --to https://api.ngrok.com".')
}

/** Headers that are about a connection, or that the sending of a request sets itself. */
const OWN = /^(host|connection|keep-alive|transfer-encoding|content-length|accept-encoding|upgrade|expect|te|trailer)$/

/** Headers of a request that belong to the API: the others are the client's own. */
const ASKED = ['content-type', 'authorization']

/** Passes a request on, keeps the request and the answer, and answers with URLs below this server. */
async function passOn(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  exchanges: RecordedExchange[],
  keys: Set<string>,
  versionHeader: string,
): Promise<void> {
  const at = readClock(systemClock)
  const { method = 'GET', url: path = '/' } = request
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const sent = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
      OWN.test(name) ? [] : [[name, values.join(', ')] as const],
    )
    const headers = new Headers(sent.map(([name, value]): [string, string] => [name, value]))
    keys.add((headers.get('authorization') ?? '').replace(/^Bearer /i, ''))
    const init = { method, headers, redirect: 'manual', ...(body !== '' && { body }) } as const
    const answer = await answerOf(await fetch(target + path, init))
    const asked = Object.fromEntries(
      [...ASKED, versionHeader].flatMap((name) =>
        name === 'authorization' && headers.has(name) ? [] : [[name, headers.get(name)]],
      ),
    )
    exchanges.push({ at, request: { method, path, headers: asked, ...(body !== '' && { body }) }, response: answer })
    const here = `http://${request.headers.host ?? ''}`
    const shown = answer.text.replaceAll(target, here)
    const kept = Object.entries(answer.headers).filter(([name]) => !OWN.test(name) && name !== 'content-encoding')
    response.writeHead(answer.status, Object.fromEntries(kept)).end(shown)
  } catch (error) {
    response.writeHead(502, { 'content-type': 'text/plain' }).end(`fauxgate record: ${caught(error).message}\n`)
  }
}
