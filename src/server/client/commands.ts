import type { ControlCall } from '../../control/control.ts'
import { controlCalls } from '../../controls.ts'
import { partsOf } from '../../schema/documentation.ts'
import { type Arguments, type Command, requireNoWords } from '../commands/command.ts'
import { UsageError } from '../errors.ts'
import { SERVER_FLAGS } from '../options/table.ts'
import { askControl, type ServerAddress, serverAddress } from './ask.ts'
import { fieldFlags, fieldsOf, kindOf, read } from './fields.ts'
import { formatted } from './format.ts'
import { requestsCommand, stateExport, stateImport } from './other-commands.ts'

interface Row {
  readonly name: string
  /** The call: its method, and its path below `/_fauxgate`. */
  readonly call: string
  /** Default: that of the call. */
  readonly summary?: string
  /** Fields that its words set, in this order, with their names in the help. A list takes all words that are left; one in brackets is optional. */
  readonly words?: Readonly<Record<string, string>>
  /** Fields with fixed values. */
  readonly sent?: Readonly<Record<string, unknown>>
  /** Fields that a flag may set. Default: all that are left. */
  readonly flags?: readonly string[]
}

const ROWS: readonly Row[] = [
  { name: 'clock', call: 'GET /clock' },
  {
    name: 'clock advance',
    call: 'POST /clock',
    summary: 'Move a manual clock on by a duration',
    words: { advance: 'DURATION' },
    flags: [],
  },
  {
    name: 'clock to',
    call: 'POST /clock',
    summary: 'Move a manual clock on to a time',
    words: { to: 'TIME' },
    flags: [],
  },
  {
    name: 'clock next',
    call: 'POST /clock',
    summary: 'Move a manual clock to the next event',
    sent: { next: true },
    flags: [],
  },
  { name: 'script', call: 'POST /provisioning/script', words: { outcomes: 'OUTCOME…' } },
  { name: 'script show', call: 'GET /provisioning/script' },
  { name: 'script clear', call: 'DELETE /provisioning/script' },
  { name: 'attempt', call: 'POST /provisioning/attempt', words: { id: 'DOMAIN' } },
  { name: 'renew', call: 'POST /provisioning/renew', words: { id: 'DOMAIN' } },
  { name: 'expire', call: 'POST /provisioning/expire', words: { id: 'DOMAIN' } },
  {
    name: 'timeline',
    call: 'GET /timelines',
    summary: 'What the provisioning of a domain, or of all, did and does next',
    words: { name: '[DOMAIN]' },
  },
  { name: 'dns', call: 'GET /dns' },
  {
    name: 'dns cname',
    call: 'PUT /dns',
    summary: 'Set the CNAME of a name',
    words: { name: 'NAME', value: 'VALUE' },
    sent: { type: 'CNAME' },
  },
  {
    name: 'dns a',
    call: 'PUT /dns',
    summary: 'Set the address of a name',
    words: { name: 'NAME', value: 'VALUE' },
    sent: { type: 'A' },
  },
  {
    name: 'dns caa',
    call: 'PUT /dns',
    summary: 'Set the authorities that may issue for a name, separated by commas',
    words: { name: 'NAME', value: 'AUTHORITIES' },
    sent: { type: 'CAA' },
  },
  {
    name: 'dns proxy',
    call: 'PUT /dns',
    summary: 'Put a name behind the proxy of a CDN',
    words: { name: 'NAME', value: 'CDN' },
    sent: { type: 'PROXY' },
  },
  {
    name: 'dns fail',
    call: 'PUT /dns',
    summary: 'Make the name servers of a name fail: SERVFAIL or TIMEOUT',
    words: { name: 'NAME', type: 'HOW' },
    flags: ['after'],
  },
  { name: 'dns remove', call: 'DELETE /dns', summary: 'Remove the record of a name', words: { name: 'NAME' } },
  { name: 'dns clear', call: 'DELETE /dns', summary: 'Remove all records', flags: [] },
  { name: 'faults', call: 'GET /faults' },
  { name: 'faults add', call: 'POST /faults' },
  { name: 'faults remove', call: 'DELETE /faults', summary: 'Remove the fault of an id', words: { id: 'ID' } },
  { name: 'faults clear', call: 'DELETE /faults', summary: 'Remove all faults', flags: [] },
  { name: 'requests clear', call: 'DELETE /requests' },
  { name: 'overview', call: 'GET /overview' },
  { name: 'report', call: 'GET /report' },
  { name: 'declare', call: 'POST /declare' },
  { name: 'root', call: 'GET /authority.pem' },
  { name: 'reset', call: 'POST /reset' },
  { name: 'snapshots', call: 'GET /snapshots' },
  { name: 'snapshots take', call: 'POST /snapshots', words: { name: '[NAME]' } },
  { name: 'snapshots restore', call: 'POST /snapshots/restore', words: { name: 'NAME' } },
  { name: 'snapshots difference', call: 'GET /snapshots/difference', words: { from: 'FROM', to: '[TO]' } },
  {
    name: 'snapshots remove',
    call: 'DELETE /snapshots',
    summary: 'Remove a snapshot that the gateway keeps',
    words: { name: 'NAME' },
  },
  { name: 'undo', call: 'POST /undo' },
  { name: 'undo remember', call: 'PUT /undo' },
]

export const clientCalls: readonly string[] = ROWS.map(({ call }) => call)

export const clientCommands: readonly Command[] = [
  ...ROWS.map(commandOf),
  withServer(requestsCommand),
  withServer(stateExport),
  withServer(stateImport),
]

interface ClientCommand extends Omit<Command, 'run'> {
  readonly run: (parsed: Arguments, server: ServerAddress) => Promise<number>
}

function withServer(command: ClientCommand): Command {
  return {
    ...command,
    flags: [...command.flags, ...SERVER_FLAGS],
    run: async (parsed, environment) => command.run(parsed, await serverAddress(parsed, environment)),
  }
}

function commandOf(row: Row): Command {
  const { name, words = {}, sent = {} } = row
  const call = callOf(row.call)
  const free = fieldFlags(call, [...Object.keys(words), ...Object.keys(sent)])
  const flags = free.filter(({ field }) => row.flags?.includes(field) ?? true)
  return withServer({
    name,
    words: Object.values(words).join(' '),
    summary: row.summary ?? call.summary,
    flags,
    async run(parsed, server) {
      const values = { ...sent, ...fieldsOfWords(call, words, parsed, name), ...fieldsOf(flags, parsed.flags) }
      const query = call.from === 'query' ? queryOf(values) : ''
      const body = call.from === 'body' ? values : undefined
      const answer = await askControl(server, call.method, `${call.path}${query}`, body)
      process.stdout.write(formatted(`${call.method} ${call.path}`, answer))
      return 0
    },
  })
}

function callOf(text: string): ControlCall {
  const call = controlCalls.find(({ method, path }) => `${method} ${path}` === text)
  if (!call) throw new Error(`There is no control call ${text}.`)
  return call
}

function fieldsOfWords(
  call: ControlCall,
  words: NonNullable<Row['words']>,
  parsed: Arguments,
  name: string,
): Record<string, unknown> {
  const left = [...parsed.words]
  const entries = call.schema ? (partsOf(call.schema).entries ?? {}) : {}
  const fields: Record<string, unknown> = {}
  for (const [field, placeholder] of Object.entries(words)) {
    const schema = entries[field]
    const kind = schema ? kindOf(schema).kind : 'text'
    const texts = left.splice(0, kind === 'texts' ? left.length : 1)
    if (texts.length === 0 && placeholder.startsWith('[')) continue
    if (texts.length === 0) throw new UsageError(`Behind ${name} comes ${Object.values(words).join(' ')}.`)
    fields[field] = read(kind, texts)
  }
  requireNoWords(left, name)
  return fields
}

function queryOf(values: object): string {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? '' : `?${query}`
}
