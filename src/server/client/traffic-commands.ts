import type { Trace } from '../../traffic/trace.ts'
import { formatTrace } from '../../traffic/trace-text.ts'
import { type Command, requireOneWord } from '../commands/command.ts'
import { UsageError } from '../errors.ts'
import { type Flag, SERVER_FLAGS, switchFlag, textFlag } from '../options/flags.ts'
import { print } from '../terminal.ts'
import { parseFlags } from './fields.ts'
import { callControl, printServer, readServerAddress } from './server-calls.ts'

/** The response of the control call that sends a visitor request. */
interface TrafficOutcome {
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly trace: Trace
}

const HEADER: Flag = {
  flag: 'header',
  kind: 'texts',
  value: 'NAME: VALUE',
  sentence: 'A request header. Repeatable.',
}

/** The fields of the control call, and the flags that set them. */
const FIELDS = [
  { field: 'method', ...textFlag('method', 'METHOD', 'The method. Default: GET.') },
  { field: 'body', ...textFlag('body', 'TEXT', 'The request body, as text.') },
  { field: 'edge', ...textFlag('edge', 'ID', 'The edge that receives the request. Required in the standard dialect.') },
  { field: 'route', ...textFlag('route', 'ID', 'The route of the edge.') },
  {
    field: 'backend',
    ...textFlag('backend', 'ID', "The backend that receives the request. Default: the route's backend."),
  },
]

const VISITOR = [
  { field: 'ip', ...textFlag('from-ip', 'ADDRESS', "The visitor's address. Default: `203.0.113.1`.") },
  { field: 'country', ...textFlag('from-country', 'CODE', "The visitor's country, as a two-letter code.") },
  {
    field: 'insecure',
    ...switchFlag('insecure', 'Accept any certificate, even if it has expired or is for another name.'),
  },
  {
    field: 'facts',
    flag: 'facts',
    kind: 'json',
    value: 'JSON',
    sentence: 'Other variables by path, such as \'{"conn.geo.city": "Berlin"}\'.',
  },
  {
    field: 'identity',
    flag: 'identity',
    kind: 'json',
    value: 'JSON',
    sentence: 'The identity of a visitor who has signed in, such as \'{"email": "a@example.com"}\'.',
  },
] as const

/** Sends a request through the gateway, and prints the response. */
export const request: Command = {
  name: 'request',
  words: 'URL',
  summary: 'Send a request through the gateway, as a visitor would, and print the response',
  flags: [
    ...FIELDS,
    HEADER,
    ...VISITOR,
    switchFlag('explain', 'Print each rule, whether or not it matched, with the values of its expressions.'),
    switchFlag('json', 'Print the response and the trace as JSON.'),
    ...SERVER_FLAGS,
  ],
  example: 'request https://app.example.com/admin --from-country US --explain',
  async run(parsed, environment) {
    const url = requireOneWord(request, parsed)
    const headers = parsed.flags.get(HEADER.flag)
    const from = parseFlags(VISITOR, parsed.flags)
    const sent = {
      url,
      ...parseFlags(FIELDS, parsed.flags),
      ...(Array.isArray(headers) && { headers: Object.fromEntries(headers.map(readHeader)) }),
      ...(Object.keys(from).length > 0 && { from }),
    }
    const server = await readServerAddress(parsed, environment)
    // The type of this call's response.
    const outcome = (await callControl(server, 'POST', '/traffic', sent)) as TrafficOutcome
    printServer(server)
    return print(
      parsed.flags.get('json') ? `${JSON.stringify(outcome, null, 2)}\n` : format(outcome, parsed.flags.has('explain')),
    )
  },
}

function readHeader(text: string): readonly [string, string] {
  const at = text.indexOf(':')
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  throw new UsageError('--header needs a name and a value, for example --header "x-name: value".')
}

function format({ status, headers, body, trace }: TrafficOutcome, isExplained: boolean): string {
  const head = status === null ? [describeEnd(trace)] : [`${status}`]
  const lines = [
    ...(isExplained ? [formatTrace({ trace, status }), ''] : []),
    ...head,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : ['', body]),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

function describeEnd(trace: Trace): string {
  const end = trace.at(-1)
  if (end && 'step' in end && end.step === 'certificate')
    return `The visitor rejected the certificate: the gateway ${end.did}. Use --insecure to accept it anyway.`
  return 'The gateway closed the connection.'
}
