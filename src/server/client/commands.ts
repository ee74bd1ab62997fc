import { type Arguments, type Command, requireNoWords, requireOneOf, throwMissingWords } from '../commands/command.ts'
import { UsageError } from '../errors.ts'
import { SERVER_FLAGS } from '../options/flags.ts'
import { print, printErrorLine } from '../terminal.ts'
import { type ClientCall, findCall, flagsForFields, outcomes, parseFlags, parseValue } from './fields.ts'
import { formatResponse } from './format.ts'
import { otherCommands } from './other-commands.ts'
import { rewriteRefusal } from './refusals.ts'
import { ControlError, callControl, printServer, readServerAddress, type ServerAddress } from './server-calls.ts'

interface Row {
  readonly name: string
  /** The method and the path of the control call, such as `GET /clock`. */
  readonly call: string
  /** Default: the summary of the call. */
  readonly summary?: string
  /** The fields that words set, in order, with the placeholders of the help. A list takes all remaining words. Brackets mark an optional word. */
  readonly words?: Readonly<Record<string, string>>
  /** The fields whose values the command sets itself. */
  readonly fixedFields?: Readonly<Record<string, unknown>>
  /** The fields that flags can set. Default: all other fields. */
  readonly flags?: readonly string[]
  /** The words and flags of an example. */
  readonly example?: string
  /** Additional sentences for the help. */
  readonly notes?: readonly string[]
}

const ROWS: readonly Row[] = [
  { name: 'clock', call: 'GET /clock' },
  {
    name: 'clock advance',
    call: 'POST /clock',
    summary: 'Advance a manual clock by a duration',
    words: { advance: 'DURATION' },
    flags: [],
    example: '30s',
    notes: ['DURATION is a whole number with ms, s, m, h or d. Everything that falls due runs, in order.'],
  },
  {
    name: 'clock to',
    call: 'POST /clock',
    summary: 'Advance a manual clock to a time',
    words: { to: 'TIME' },
    flags: [],
    example: '2026-03-01T00:00:00Z',
  },
  {
    name: 'clock next',
    call: 'POST /clock',
    summary: 'Advance a manual clock to the next event',
    fixedFields: { next: true },
    flags: [],
  },
  {
    name: 'script',
    call: 'POST /provisioning/script',
    words: { outcomes: 'OUTCOME…' },
    example: 'DNS_ERROR success --domain app.example.com',
    notes: [
      `OUTCOME is one of ${outcomes.join(', ')}. Each attempt of a certificate job takes the next one.`,
      'An error can have details: \'{"outcome":"DNS_ERROR","message":"No such host.","retriesAfter":"5m"}\'.',
      'After the last one, attempts succeed, or follow --always or the simulated DNS.',
    ],
  },
  { name: 'script show', call: 'GET /provisioning/script' },
  {
    name: 'script remove',
    call: 'DELETE /provisioning/script',
    summary: 'Drop the pending outcome with an id, which script show prints',
    words: { id: 'ID' },
    flags: [],
    example: 'outcome_1',
  },
  {
    name: 'script clear',
    call: 'DELETE /provisioning/script',
    summary: 'Drop the pending outcomes of one domain, or of all',
    flags: ['domain'],
  },
  { name: 'attempt', call: 'POST /provisioning/attempt', words: { id: 'DOMAIN' }, example: 'app.example.com' },
  { name: 'renew', call: 'POST /provisioning/renew', words: { id: 'DOMAIN' }, flags: [], example: 'app.example.com' },
  { name: 'expire', call: 'POST /provisioning/expire', words: { id: 'DOMAIN' }, flags: [], example: 'app.example.com' },
  {
    name: 'timeline',
    call: 'GET /timelines',
    summary: 'Show what provisioning did and what it does next, for a domain or for all',
    words: { name: '[DOMAIN]' },
    example: 'app.example.com',
  },
  { name: 'dns', call: 'GET /dns' },
  dnsRow('cname', 'Set the CNAME of a name', 'VALUE', 'app.example.com 2k3jd9.cname.ngrok.example'),
  dnsRow('a', 'Set the address of a name', 'VALUE', 'app.example.com 192.0.2.1'),
  dnsRow(
    'caa',
    'Set the authorities that may issue for a name, separated by commas',
    'AUTHORITIES',
    'example.com letsencrypt.org',
  ),
  dnsRow('proxy', 'Put a name behind the proxy of a CDN', 'CDN', 'app.example.com cloudflare'),
  {
    name: 'dns fail',
    call: 'PUT /dns',
    summary: 'Make the name servers of a name fail',
    words: { name: 'NAME', type: 'SERVFAIL|TIMEOUT' },
    flags: ['after'],
    example: 'app.example.com SERVFAIL',
  },
  {
    name: 'dns remove',
    call: 'DELETE /dns',
    summary: 'Remove the record of a name',
    words: { name: 'NAME' },
    example: 'app.example.com',
  },
  { name: 'dns clear', call: 'DELETE /dns', summary: 'Remove all records', flags: [] },
  { name: 'faults', call: 'GET /faults' },
  {
    name: 'faults add',
    call: 'POST /faults',
    summary: 'Make matching HTTP requests fail or arrive late',
    example: '--operation reserved_domains.create --times 1 --status 503 --retry-after 2s',
    notes: ['Without --operation, --method, --path and --resource, every request of the API matches.'],
  },
  {
    name: 'faults remove',
    call: 'DELETE /faults',
    summary: 'Remove the fault with an id',
    words: { id: 'ID' },
    example: 'fault_1',
  },
  { name: 'faults clear', call: 'DELETE /faults', summary: 'Remove all faults', flags: [] },
  { name: 'requests clear', call: 'DELETE /requests' },
  { name: 'traffic', call: 'GET /traffic' },
  { name: 'traffic clear', call: 'DELETE /traffic' },
  {
    name: 'upstream',
    call: 'PUT /traffic/upstreams',
    words: { url: 'URL' },
    example: 'https://app.internal --body hello',
  },
  {
    name: 'upstream remove',
    call: 'DELETE /traffic/upstreams',
    words: { url: 'URL' },
    example: 'https://app.internal',
  },
  { name: 'controls', call: 'GET /controls' },
  { name: 'overview', call: 'GET /overview' },
  { name: 'troubles', call: 'GET /troubles' },
  { name: 'report', call: 'GET /report' },
  { name: 'declare', call: 'POST /declare', example: '--edge edghts_1 --routes edghtsrt_1' },
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
  { name: 'undo remember', call: 'PUT /undo', summary: 'Remember the current state, for undo' },
]

/** Returns the row of a command that sets a DNS record. The name of the command ends with the type of the record. */
function dnsRow(type: string, summary: string, value: string, example: string): Row {
  const words = { name: 'NAME', value }
  return { name: `dns ${type}`, call: 'PUT /dns', summary, words, fixedFields: { type: type.toUpperCase() }, example }
}

export const clientCalls: readonly string[] = ROWS.map(({ call }) => call)

export const clientCommands: readonly Command[] = [...ROWS.map(commandOf), ...otherCommands]

function commandOf(row: Row): Command {
  const { name, words = {}, fixedFields = {} } = row
  const call = findCall(row.call)
  const available = flagsForFields(call, [...Object.keys(words), ...Object.keys(fixedFields)])
  const flags = available.filter(({ field }) => row.flags?.includes(field) ?? true)
  return {
    name,
    words: Object.values(words).join(' '),
    summary: row.summary ?? call.summary,
    flags: [...flags, ...SERVER_FLAGS],
    ...(row.example && { example: `${name} ${row.example}` }),
    ...(row.notes && { notes: row.notes }),
    async run(parsed, environment) {
      const values = { ...fixedFields, ...parseWords(call, row, parsed), ...parseFlags(flags, parsed.flags) }
      const server = await readServerAddress(parsed, environment)
      const query = call.from === 'query' ? queryOf(values) : ''
      const body = call.from === 'body' ? values : undefined
      const typedNames = new Map([
        ...Object.entries(words).map(([field, word]) => [field, word.replace(/[[\]…]/g, '')] as const),
        ...flags.map(({ field, flag }) => [field, `--${flag}`] as const),
      ])
      const path = `${call.path}${query}`
      const response = await callControl(server, call.method, path, body, call.mediaType).catch((error) => {
        const mistyped = error instanceof ControlError && rewriteRefusal(error.details, name, typedNames)
        throw mistyped ? new UsageError(mistyped) : error
      })
      const { text, note } = formatResponse(row.call, response, values)
      printServer(server, response === undefined)
      if (note) printErrorLine(note)
      if (row.call === 'PUT /dns') await warnIfZoneIsIgnored(server)
      return print(text)
    },
  }
}

/** Prints a warning if the attempts of a server ignore the records that the command sets. */
async function warnIfZoneIsIgnored(server: ServerAddress): Promise<void> {
  const { dns } = Object(await callControl(server, 'GET', '/overview'))
  if (dns !== 'off') return
  printErrorLine('no attempt checks this record: the server runs without simulated DNS. Start it with --dns simulated.')
}

function parseWords(
  { fields: known }: ClientCall,
  { name, words = {}, example }: Row,
  parsed: Arguments,
): Record<string, unknown> {
  const usage = Object.values(words).join(' ')
  const fullExample = example && `${name} ${example}`
  const remaining = [...parsed.words]
  const fields: Record<string, unknown> = {}
  for (const [field, placeholder] of Object.entries(words)) {
    const { kind = 'text' } = known.find((each) => each.field === field) ?? {}
    const texts = remaining.splice(0, kind === 'texts' ? remaining.length : 1)
    if (texts.length === 0 && placeholder.startsWith('[')) continue
    if (texts.length === 0) throwMissingWords(name, usage, fullExample)
    if (placeholder.includes('|')) requireOneOf(`The ${field}`, texts[0] ?? '', placeholder.split('|'))
    fields[field] = parseValue(kind, texts)
  }
  requireNoWords(remaining, `${name} ${usage}`.trim(), parsed, fullExample)
  return fields
}

function queryOf(values: object): string {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? '' : `?${query}`
}
