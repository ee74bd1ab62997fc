import type { ControlCall } from '../../control/control.ts'
import { controlCalls } from '../../controls.ts'
import { partsOf } from '../../schema/documentation.ts'
import type { Timelines } from '../../views/timelines.ts'
import { type Arguments, requireNoWords } from '../commands/arguments.ts'
import type { Command } from '../commands/command.ts'
import { UsageError } from '../commands/usage-error.ts'
import { variableOf } from '../options/table.ts'
import { askControl, type Where } from './ask.ts'
import { fieldFlags, fieldsGiven, kindOf, read, WHERE_FLAGS } from './flags.ts'
import { requestsCommand } from './requests.ts'
import { shownAnswer } from './shown.ts'
import { stateExport, stateImport } from './state.ts'
import { textOf } from './text-of.ts'

/** A command that is one call to a control. */
interface Row {
  readonly name: string
  /** The call: its method, and its path below `/_fauxgate`. */
  readonly call: string
  /** What it does, where it is not all that the call can do. */
  readonly summary?: string
  /** The fields that the words behind it are, in this order, and what the help calls them. A list takes all that are left; one in brackets can be left out. */
  readonly words?: Readonly<Record<string, string>>
  /** What it always sends. */
  readonly sent?: Readonly<Record<string, unknown>>
  /** The fields that a flag may give; all that are left where it is not said. */
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
]

/** The calls to controls that the table makes commands of. */
export const clientCalls: readonly string[] = ROWS.map(({ call }) => call)

/** The commands that ask a server that runs. */
export const clientCommands: readonly Command[] = [
  ...ROWS.map(commandOf),
  asking(requestsCommand),
  asking(stateExport),
  asking(stateImport),
]

/** A command that needs to know where the server is. */
interface Asking extends Omit<Command, 'run'> {
  readonly run: (given: Arguments, where: Where) => Promise<number>
}

function asking(command: Asking): Command {
  return {
    ...command,
    flags: [...command.flags, ...WHERE_FLAGS],
    run: async (given, environment) => command.run(given, await whereOf(given, environment)),
  }
}

function commandOf(row: Row): Command {
  const { name, words = {}, sent = {} } = row
  const call = callOf(row.call)
  const own = fieldFlags(call, [...Object.keys(words), ...Object.keys(sent)])
  const flags = own.filter(({ field }) => row.flags?.includes(field) ?? true)
  return asking({
    name,
    words: Object.values(words).join(' '),
    summary: row.summary ?? call.summary,
    flags,
    async run(given, where) {
      const values = { ...sent, ...wordsGiven(call, words, given, name), ...fieldsGiven(flags, given.flags) }
      if (words.id === 'DOMAIN') Object.assign(values, { id: await domainId(where, String(values.id)) })
      const query = call.from === 'query' ? queryOf(values) : ''
      const body = call.from === 'body' ? values : undefined
      const answer = await askControl(where, call.method, `${call.path}${query}`, body)
      process.stdout.write(shownAnswer(`${call.method} ${call.path}`, answer))
      return 0
    },
  })
}

function callOf(text: string): ControlCall {
  const call = controlCalls.find(({ method, path }) => `${method} ${path}` === text)
  if (!call) throw new Error(`There is no control call ${text}.`)
  return call
}

/** The fields that the words are. */
function wordsGiven(
  call: ControlCall,
  words: NonNullable<Row['words']>,
  given: Arguments,
  name: string,
): Record<string, unknown> {
  const left = [...given.words]
  const entries = call.schema ? (partsOf(call.schema).entries ?? {}) : {}
  const fields: Record<string, unknown> = {}
  for (const [field, called] of Object.entries(words)) {
    const schema = entries[field]
    const kind = schema ? kindOf(schema).kind : 'text'
    const texts = left.splice(0, kind === 'texts' ? left.length : 1)
    if (texts.length === 0 && called.startsWith('[')) continue
    if (texts.length === 0) throw new UsageError(`Behind ${name} comes ${Object.values(words).join(' ')}.`)
    fields[field] = read(kind, texts)
  }
  requireNoWords(left, name)
  return fields
}

/** The id of a domain, which may be called by its hostname. */
async function domainId(where: Where, called: string): Promise<string> {
  if (called.startsWith('rd_')) return called
  const name = called.toLowerCase().replace(/\.$/, '')
  // The answer of this call.
  const { timelines } = (await askControl(where, 'GET', `/timelines${queryOf({ name })}`)) as Timelines
  const found = timelines.find(({ domain }) => domain === name)
  if (!found) throw new Error(`No domain ${JSON.stringify(called)} has a provisioning.`)
  return found.id
}

function queryOf(values: object): string {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? '' : `?${query}`
}

const DEFAULT_URL = 'http://127.0.0.1:4747'

async function whereOf({ flags }: Arguments, environment: NodeJS.ProcessEnv): Promise<Where> {
  const given = (flag: string) => {
    const value = flags.get(flag)
    return Array.isArray(value) ? value[0] : environment[variableOf(flag)] || undefined
  }
  const url = given('url') ?? DEFAULT_URL
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    throw new UsageError(
      `${flags.has('url') ? '--url' : variableOf('url')} is ${JSON.stringify(url)}. Allowed: an http or https URL.`,
    )
  }
  const ca = given('ca')
  return { url, key: given('control-key'), ca: ca && (await textOf(ca)) }
}
