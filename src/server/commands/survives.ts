import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// Fake timers may replace the global `setImmediate`, but the output arrives in real turns of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExplorationHost } from '../../control/gateway-host.ts'
import { requireGatewayHost } from '../../control/gateways.ts'
import { manualClock } from '../../core/engine/manual-clock.ts'
import { quote } from '../../core/schema/text.ts'
import { createNgrok } from '../../gateway/ngrok.ts'
import type { ExplorationSettings, ExplorationStep } from '../../generated/controls.ts'
import { START } from '../../testing/fixture.ts'
import { calls, flagsForFields, parseFlags } from '../client/fields.ts'
import { rewriteRefusal } from '../client/refusals.ts'
import { ControlError, callControl } from '../client/server-calls.ts'
import { StoppedError, UsageError } from '../errors.ts'
import { fileProblem, writeError } from '../files.ts'
import { integerFlag, textFlag } from '../options/flags.ts'
import { serve } from '../serve.ts'
import { printError, printLine, quoteForShell, showProgress } from '../terminal.ts'
import { onSignals, sleep } from '../waiting.ts'
import { type Arguments, type Command, flagValue } from './command.ts'

/** The number of concurrent runs. Separate processes share less than functions in one process do. */
const JOBS = 8

/** The real time in ms in which a process that outlives the command may still write to its output. */
const LAST_OUTPUT_MS = 100

const JOBS_FLAG = integerFlag(
  'jobs',
  'The maximum number of concurrent runs; twice that number may also wait for a response. Use 1 if the commands share files, ' +
    `ports, or a database. Default: ${JOBS}.`,
)

/** The flags, by the settings of an exploration that they set. The command itself sets the other settings. */
const FLAGS = [
  ...flagsForFields(calls['POST /explorations'], ['name', 'replayCall', 'for', 'setup', 'jobs']),
  { ...JOBS_FLAG, field: 'jobs' },
]

const FLAGS_BY_SETTING = new Map(FLAGS.map(({ field, flag }) => [field, `--${flag}`]))

const SETUP = textFlag('setup', 'COMMAND', 'A shell command to run before each run, in the same environment.')

export const survivesCommand: Command = {
  name: 'survives',
  words: 'COMMAND…',
  summary: 'Run a command once for each possible failure of each request, and report which failures break it',
  flags: [...FLAGS, SETUP],
  example: 'survives --faults 2 -- python onboard.py',
  notes: [
    'Everything after "--" is the command, with its own options.',
    'The command finds the URL of a fresh gateway in FAUXGATE_URL, NGROK_API_URL, and NGROK_API_BASE_URL. Exit code 0 means success. Any ' +
      "other exit code is an error, whose message is the last line of stderr above any stack trace. With --replay, the command's output is shown.",
    'FAUXGATE_FOLDER is a new folder for each run. A restarted command finds its files there.',
    'Exit codes: 0 the command survives; 1 a failure breaks it, as the report explains; 2 invalid flag, or the command cannot be started; 128 + N signal N stopped it, such as 130 for SIGINT.',
  ],
  run: async (parsed, environment) => {
    const [program] = parsed.words
    if (program === undefined || program === '')
      throw new UsageError('survives needs a command, such as "survives -- python onboard.py".')
    // An open server would keep the process alive, so the folder comes first.
    const folder = await mkdtemp(join(tmpdir(), 'fauxgate-')).catch((error) => {
      throw writeError(tmpdir(), error, 'folder')
    })
    const stopped = new AbortController()
    const endSignals = onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], (signal) => {
      // A second signal ends this process, even if the commands cannot be ended.
      endSignals()
      stopped.abort(new StoppedError(signal))
    })
    const gateway = createNgrok({ clock: manualClock(START) })
    const server = await serve(gateway)
    const processes = new Processes(parsed, environment, folder)
    try {
      const { explorations } = requireGatewayHost(gateway.transport.hooks)
      return await explore(server.url, explorations, parsed, processes, stopped)
    } finally {
      await processes.killAll()
      await server.close()
      await rm(folder, { recursive: true, force: true })
      // The last step, because writing to a closed terminal ends this process.
      showProgress('')
      endSignals()
    }
  },
}

async function explore(
  url: string,
  explorations: ExplorationHost,
  parsed: Arguments,
  processes: Processes,
  stopped: AbortController,
): Promise<number> {
  // Called over HTTP because the call checks the values of the flags.
  const { id } = Object(
    await callControl({ url }, 'POST', '/explorations', settingsOf(parsed)).catch((error) => {
      throw error instanceof ControlError ? new UsageError(describeRefusal(error)) : error
    }),
  )
  for (;;) {
    // Steps may be waiting, and only a wait for the next one is aborted.
    stopped.signal.throwIfAborted()
    const step = await explorations.next(id, stopped.signal).catch((error) => {
      throw stopped.signal.aborted ? stopped.signal.reason : error
    })
    const { run = 0, copy = '', life = 1 } = step
    const end = (error: string | undefined) =>
      explorations.ended({ id, run, ...(copy && { copy, life }), ...(error !== undefined && { error }) })
    if (step.do === 'finish') {
      showProgress('')
      printLine(step.report ?? '')
      return step.survives ? 0 : 1
    }
    if (step.do === 'kill') await processes.kill(step)
    else void processes.start(step).then(end, (error) => stopped.abort(error))
  }
}

/** Returns the message of an error about settings, with their flags. */
function describeRefusal({ refusal, details }: ControlError): string {
  return (
    rewriteRefusal(details, survivesCommand.name, FLAGS_BY_SETTING) ??
    refusal.replace(
      /^The exploration cannot be started: (\w+)/,
      (_, setting) => FLAGS_BY_SETTING.get(setting) ?? setting,
    )
  )
}

function settingsOf({ flags, words }: Arguments): ExplorationSettings {
  const typed = [...flags].flatMap(([flag, value]) =>
    typeof value === 'boolean'
      ? [value ? `--${flag}` : `--no-${flag}`]
      : value.map((each) => `--${flag} ${quoteForShell(each)}`),
  )
  return {
    name: words.join(' '),
    for: 'shell',
    replayCall: ['fauxgate survives --replay REPLAY', ...typed, '--', ...words.map(quoteForShell)].join(' '),
    setup: flags.has(SETUP.flag),
    jobs: JOBS,
    ...parseFlags(FLAGS, flags),
  }
}

/**
 * Returns the last line of a program's output, truncated to the length that a report shows. An uncaught error ends with its stack, its
 * fields, and Node's version, so its line is above those.
 */
function errorLine(output: string): string {
  const lines = output.trimEnd().split('\n')
  const last = lines.at(-1) ?? ''
  const isError = /^\s+at |^\}|^Node\.js v\d/.test(last)
  const line = isError ? lines.reverse().find((each) => /^(?!Node\.js v)[^\s}]/.test(each)) : last
  return line?.slice(-200).trim() ?? ''
}

/** A process that was started, and how it ended. */
interface Running {
  readonly child: ChildProcess
  /** Resolves with the exit code or the signal of the command once its output has arrived. Rejects if the command cannot be started. */
  readonly ended: Promise<number | string | null>
}

/** The processes of a command. */
class Processes {
  readonly #running = new Map<string, Running>()

  constructor(
    readonly parsed: Arguments,
    readonly environment: NodeJS.ProcessEnv,
    readonly folder: string,
  ) {}

  /** Starts the command, or the setup. Resolves when it ends, with the error if it fails. @throws UsageError if it cannot be started */
  async start(step: ExplorationStep): Promise<string | undefined> {
    const { do: what, run, copy = '' } = step
    const child = this.#spawn(step)
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4096)
      if (this.parsed.flags.has('replay')) printError(text)
    })
    const closed = new AbortController()
    child.once('close', () => closed.abort())
    const exited = new Promise<number | string | null>((resolve, reject) => {
      child.once('error', reject).once('exit', (code, signal) => resolve(code ?? signal))
    })
    const name = `${run} ${copy}`
    const ended = exited.then(async (code) => {
      await sleep(LAST_OUTPUT_MS, closed.signal)
      // If this process was busy, it has not yet read all that has arrived.
      await nextTurn()
      child.stderr.destroy()
      // A setup may start a server for its run.
      if (what === 'start') killGroup(child)
      return code
    })
    this.#running.set(name, { child, ended })
    const code = await ended.catch((error) => {
      const program = quote(child.spawnfile)
      throw new UsageError(`${program} cannot be started: ${fileProblem(error)}. Check the name of the command.`)
    })
    if (this.#running.get(name)?.child === child) this.#running.delete(name)
    return code === 0 ? undefined : [`exit code ${code}`, errorLine(output)].filter(Boolean).join(': ')
  }

  // Synchronous, so that no process starts after `killAll`.
  #spawn({ do: what, run = 0, copy = '', url = '' }: ExplorationStep) {
    const own = join(this.folder, String(run), copy)
    mkdirSync(own, { recursive: true })
    const isReplay = this.parsed.flags.has('replay')
    if (!isReplay) showProgress(`Run ${run}`)
    const [program = '', ...rest] = what === 'setup' ? [flagValue(this.parsed, SETUP.flag) ?? ''] : this.parsed.words
    return spawn(program, rest, {
      shell: what === 'setup',
      // Puts the processes that it starts into its group.
      detached: process.platform !== 'win32',
      stdio: ['ignore', isReplay ? 'inherit' : 'ignore', 'pipe'],
      env: {
        NGROK_API_KEY: 'any-key',
        ...this.environment,
        FAUXGATE_URL: url,
        NGROK_API_URL: url,
        NGROK_API_BASE_URL: url,
        FAUXGATE_FOLDER: own,
        FAUXGATE_COPY: copy,
      },
    })
  }

  /** Kills a process and the processes in its group. Resolves once it has ended. */
  async kill({ run, copy }: ExplorationStep): Promise<void> {
    await killRunning(this.#running.get(`${run} ${copy}`))
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#running.values()].map(killRunning))
  }
}

async function killRunning(running: Running | undefined): Promise<void> {
  if (!running) return
  killGroup(running.child)
  // One that cannot be started has ended too.
  await running.ended.catch(() => undefined)
}

function killGroup(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The process has just ended.
  }
}
