import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExplorationHost } from '../../control/gateway-host.ts'
import { requireGatewayHost } from '../../control/gateways.ts'
import { manualClock } from '../../core/engine/manual-clock.ts'
import { quote } from '../../core/schema/text.ts'
import { lookUp } from '../../core/schema/values.ts'
import { createNgrok } from '../../gateway/ngrok.ts'
import type { ExplorationSettings, ExplorationStep } from '../../generated/controls.ts'
import { START } from '../../testing/fixture.ts'
import { messageOf, UsageError } from '../errors.ts'
import { writeError } from '../files.ts'
import { type Flag, integerFlag, switchFlag, textFlag } from '../options/flags.ts'
import { serve } from '../serve.ts'
import { printError, printLine, showProgress } from '../terminal.ts'
import type { Arguments, Command } from './command.ts'

const listFlag = (flag: string, value: string, sentence: string): Flag => ({ flag, kind: 'texts', value, sentence })

/** The flags, by the settings that they set. */
const FLAGS = {
  faults: integerFlag('faults', 'The maximum number of failures in one schedule. Default: 1, or 0 with --copies.'),
  copies: integerFlag(
    'copies',
    'The number of concurrent processes, 1 to 3. Every order of their requests is tried. Default: 1.',
  ),
  restart: switchFlag('restart', 'Also kill the command after a request, and start it again.'),
  allow: textFlag(
    'allow',
    'REGEXP',
    'A regular expression that the last line of stderr must match when the command fails. Default: any line.',
  ),
  mayLeave: listFlag(
    'may-leave',
    'FAMILY',
    'The families whose resources the command may leave behind when it fails. It is then rerun until it succeeds.',
  ),
  ignore: listFlag('ignore', 'PATH', 'Paths to exclude from the comparison, such as reserved_addrs.metadata.'),
  also: listFlag('also', 'KIND', 'Additional kinds of failures to try: late, slow.'),
  max: integerFlag('max', 'The maximum number of schedules to try. Default: 20000.'),
  silence: integerFlag(
    'silence',
    'How many real seconds to wait for a response before aborting the request. Default: 2.',
  ),
  timeout: integerFlag('timeout', 'The maximum duration of a run, in real seconds. Default: 60.'),
  jobs: integerFlag(
    'jobs',
    'The number of parallel runs; as many more may wait for a response. Use 1 if they share files, ports or a database. Default: 8.',
  ),
  replay: textFlag('replay', 'SCHEDULE', 'The schedule from a report to replay, showing what the command prints.'),
} satisfies { readonly [Name in keyof ExplorationSettings]?: Flag }

const SETUP = textFlag('setup', 'COMMAND', 'A shell command to run before each run, in the same environment.')

export const survivesCommand: Command = {
  name: 'survives',
  words: 'COMMAND…',
  summary: 'Run a command once for each failure of each request, and report which failure breaks it',
  flags: [...Object.values(FLAGS), SETUP],
  example: 'survives --faults 2 -- python onboard.py',
  notes: [
    'Everything after "--" is the command, with its own options.',
    'The command finds the URL of a fresh gateway in FAUXGATE_URL, NGROK_API_URL and NGROK_API_BASE_URL. Exit code 0 means that it succeeded.',
    'FAUXGATE_FOLDER is a new folder for each run. It survives a restart of the command.',
    'Exit codes: 0 the command survives; 1 a failure breaks it, as the report explains; 2 invalid flag.',
  ],
  run: async (parsed, environment) => {
    const [program] = parsed.words
    if (program === undefined)
      throw new UsageError('survives needs a command, such as "survives -- python onboard.py".')
    const settings = settingsOf(parsed)
    // An open server would keep the process alive, so the folder comes first.
    const folder = await createFolder()
    const gateway = createNgrok({ clock: manualClock(START) })
    const server = await serve(gateway)
    const processes = new Processes(parsed, environment, folder)
    try {
      return await explore(requireGatewayHost(gateway.transport.hooks).explorations, settings, processes)
    } finally {
      processes.killAll()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function createFolder(): Promise<string> {
  const parent = tmpdir()
  try {
    return await mkdtemp(join(parent, 'fauxgate-'))
  } catch (error) {
    throw writeError(parent, error, 'folder')
  }
}

async function explore(
  explorations: ExplorationHost,
  settings: ExplorationSettings,
  processes: Processes,
): Promise<number> {
  const id = await explorations.start(settings).catch((error) => {
    throw new UsageError(nameFlag(messageOf(error)))
  })
  for (;;) {
    const step = await explorations.next(id, undefined)
    const { run = 0, copy = '', life = 1 } = step
    const end = (error: string | undefined) =>
      explorations.ended({ id, run, ...(copy && { copy, life }), ...(error !== undefined && { error }) })
    if (step.do === 'finish') {
      printLine(step.report ?? '')
      return step.survives ? 0 : 1
    }
    if (step.do === 'kill') await processes.kill(step)
    else void processes.start(step).then(end)
  }
}

/** Returns a message about a setting with its flag instead. */
function nameFlag(message: string): string {
  return message.replace(/^The exploration cannot be started: (\w+)/, (whole, setting: string) => {
    const known = lookUp<Flag>(FLAGS, setting)
    return known ? `--${known.flag}` : whole
  })
}

function parseNumber(flag: string, text = ''): number {
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text)
  throw new UsageError(`--${flag} is ${quote(text)}. Allowed: a number without a unit.`)
}

function settingsOf({ flags, words }: Arguments): ExplorationSettings {
  const values = Object.entries(FLAGS).flatMap(([name, { flag, kind }]) => {
    const value = flags.get(flag)
    if (value === undefined) return []
    const [text] = Array.isArray(value) ? value : []
    return [[name, kind === 'integer' ? parseNumber(flag, text) : kind === 'text' ? text : value]]
  })
  const typed = [...flags].filter(([flag]) => ['copies', 'restart', 'setup'].includes(flag))
  const again = typed.map(([flag, value]) => ` --${flag}${Array.isArray(value) ? ` ${quoteWord(value[0])}` : ''}`)
  const command = words.map(quoteWord).join(' ')
  return {
    name: words.join(' '),
    replayCall: `fauxgate survives${again.join('')} --replay REPLAY -- ${command}`,
    setup: flags.has(SETUP.flag),
    jobs: 8,
    ...Object.fromEntries(values),
  }
}

/** Quotes a word for a shell, if it needs that. */
const quoteWord = (word: string) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** Returns the last line of an output, truncated to the length that a report shows. */
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)?.slice(-200).trim() ?? ''

/** The processes of a command. */
class Processes {
  readonly #setup: string
  readonly #words: readonly string[]
  readonly #environment: NodeJS.ProcessEnv
  readonly #isReplay: boolean
  readonly #folder: string
  readonly #running = new Map<string, ChildProcess>()

  constructor({ flags, words }: Arguments, environment: NodeJS.ProcessEnv, folder: string) {
    const setup = flags.get(SETUP.flag)
    this.#setup = Array.isArray(setup) ? setup[0] : ''
    this.#words = words
    this.#environment = environment
    this.#isReplay = flags.has(FLAGS.replay.flag)
    this.#folder = folder
  }

  /** Starts the command, or the setup. Resolves at its end, with the error if it fails. */
  async start({ do: what, run = 0, copy = '', url = '' }: ExplorationStep): Promise<string | undefined> {
    const own = join(this.#folder, String(run), copy)
    await mkdir(own, { recursive: true })
    if (!this.#isReplay) showProgress(`Run ${run}`)
    const [program = '', ...rest] = what === 'setup' ? [this.#setup] : this.#words
    const child = spawn(program, rest, {
      shell: what === 'setup',
      // The processes that it starts are in its group.
      detached: process.platform !== 'win32',
      stdio: ['ignore', this.#isReplay ? 'inherit' : 'ignore', 'pipe'],
      env: {
        NGROK_API_KEY: 'any-key',
        ...this.#environment,
        FAUXGATE_URL: url,
        NGROK_API_URL: url,
        NGROK_API_BASE_URL: url,
        FAUXGATE_FOLDER: own,
        FAUXGATE_COPY: copy,
      },
    })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4096)
      if (this.#isReplay) printError(text)
    })
    const name = `${run} ${copy}`
    this.#running.set(name, child)
    const code = await new Promise<number | string | Error | null>((resolve) => {
      child.once('error', resolve).once('close', (code, signal) => resolve(code ?? signal))
    })
    if (this.#running.get(name) === child) this.#running.delete(name)
    if (code instanceof Error) return code.message
    return code === 0 ? undefined : [`exit code ${code}`, lastLine(output)].filter(Boolean).join(': ')
  }

  /** Kills a process and everything that it started. Resolves once it has ended. */
  async kill({ run, copy }: ExplorationStep): Promise<void> {
    const child = this.#running.get(`${run} ${copy}`)
    if (!child || child.exitCode !== null) return
    const closed = once(child, 'close')
    killGroup(child)
    await closed
  }

  killAll(): void {
    showProgress('')
    for (const child of this.#running.values()) killGroup(child)
  }
}

function killGroup(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
