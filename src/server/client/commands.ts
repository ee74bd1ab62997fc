import type { CallCommand } from '../../control/control.ts'
import { type Arguments, type Command, requireNoWords, requireOneOf, throwMissingWords } from '../commands/command.ts'
import { UsageError } from '../errors.ts'
import { HEAD_LIMITS } from '../limits.ts'
import { SERVER_FLAGS } from '../options/flags.ts'
import { print, printErrorLine } from '../terminal.ts'
import { type ClientCall, calls, flagsForFields, parseFlags, parseValue } from './fields.ts'
import { formatResponse } from './format.ts'
import { otherCommands } from './other-commands.ts'
import { rewriteRefusal } from './refusals.ts'
import { ControlError, callControl, printServer, readServerAddress, type ServerAddress } from './server-calls.ts'

/** The calls that have commands. */
export const clientCalls: readonly string[] = Object.entries(calls).flatMap(([name, { commands }]) =>
  commands ? [name] : [],
)

export const clientCommands: readonly Command[] = [
  ...Object.entries(calls).flatMap(([name, call]) => (call.commands ?? []).map((row) => commandOf(name, call, row))),
  ...otherCommands,
]

/** Returns the command of a row of a call, such as `GET /clock`. */
function commandOf(callName: string, call: ClientCall, row: CallCommand): Command {
  const { name, words = {}, fixedFields = {} } = row
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
      const typedNames = new Map([
        ...Object.entries(words).map(([field, word = '']) => [field, word.replace(/[[\]…]/g, '')] as const),
        ...flags.map(({ field, flag }) => [field, `--${flag}`] as const),
      ])
      const query = call.from === 'query' ? queryOf(values, typedNames) : ''
      const body = call.from === 'body' ? values : undefined
      const path = `${call.path}${query}`
      const response = await callControl(server, call.method, path, body, call.mediaType).catch((error) => {
        const mistyped = error instanceof ControlError && rewriteRefusal(error.details, name, typedNames)
        throw mistyped ? new UsageError(mistyped) : error
      })
      const { text, note } = formatResponse(callName, response, values)
      printServer(server, response === undefined)
      if (note) printErrorLine(note)
      if (callName === 'PUT /dns') await warnIfZoneIsIgnored(server)
      return print(text)
    },
  }
}

/** Prints a warning if the server's attempts ignore the records that the command sets. */
async function warnIfZoneIsIgnored(server: ServerAddress): Promise<void> {
  const { dns } = Object(await callControl(server, 'GET', '/overview'))
  if (dns !== 'off') return
  printErrorLine('no attempt checks this record: the server runs without simulated DNS. Start it with --dns simulated.')
}

function parseWords(
  { fields: known }: ClientCall,
  { name, words = {}, example }: CallCommand,
  parsed: Arguments,
): Record<string, unknown> {
  const usage = Object.values(words).join(' ')
  const fullExample = example && `${name} ${example}`
  const remaining = [...parsed.words]
  const fields: Record<string, unknown> = {}
  for (const [field, placeholder = ''] of Object.entries(words)) {
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

/** The maximum number of characters in a query. Within this limit, the server accepts the head of the request. */
const MAX_QUERY = HEAD_LIMITS.bytes - 1000

/** @throws UsageError if the query is longer than a server accepts. */
function queryOf(values: object, typedNames: ReadonlyMap<string, string>): string {
  for (const [field, value] of Object.entries(values)) {
    const { length } = encodeURIComponent(String(value))
    if (length > MAX_QUERY)
      throw new UsageError(
        `${typedNames.get(field)} is ${length} characters long when encoded in a URL. Allowed: at most ${MAX_QUERY}.`,
      )
  }
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? '' : `?${query}`
}
