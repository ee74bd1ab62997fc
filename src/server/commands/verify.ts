import { version } from '../../../package.json'
import { readClock, systemClock } from '../../core/engine/clock.ts'
import { createSecret } from '../../core/engine/random.ts'
import { createRedactor, redactText } from '../../core/schema/secret-texts.ts'
import { type DialectName, dialectNames, dialects, isDialectName } from '../../service/resources/dialects.ts'
import { certificatePair } from '../../testing/certificates.ts'
import { deleteLeftovers } from '../../verify/clean-up.ts'
import { ServiceClient, type VerifyHost } from '../../verify/client.ts'
import type { Exchange } from '../../verify/exchange.ts'
import type { RecordedExchange } from '../../verify/har.ts'
import { durationText, planText } from '../../verify/plan-text.ts'
import { exitCodeOf, reportText, reportXml } from '../../verify/report.ts'
import { markOf, RunLog } from '../../verify/run-log.ts'
import { recordingText } from '../../verify/sanitize.ts'
import { planOf } from '../../verify/scenarios.ts'
import { type Progress, type VerifyOptions, verify } from '../../verify/verify.ts'
import { UsageError } from '../errors.ts'
import { requireCanWrite, writeText } from '../files.ts'
import { bypassProxy } from '../proxy.ts'
import { RunLogFile } from '../run-log-file.ts'
import { askAtTerminal, breakLine, print, printErrorLine, showProgress } from '../terminal.ts'
import { onSignals, sleep } from '../waiting.ts'
import { type Arguments, type Command, requireNoWords } from './command.ts'
import { parseTarget, parseVerifyFlags, rateFor, type VerifySettings, verifyFlags } from './verify-flags.ts'

export const verifyCommand: Command = {
  name: 'verify',
  words: 'URL',
  summary: "Send fauxgate's scenarios to a server, and compare the responses with those of a fresh gateway",
  flags: verifyFlags,
  notes: [
    'NGROK_API_KEY is the API key; it is never printed. A server on this machine needs no key.',
    'The run changes and deletes only resources that it created, and names them fauxgate-verify-…. At the end, even ' +
      'after SIGINT, it deletes all of them.',
    'Exit codes: 0 no differences; 1 a response or the inventory differs; 2 invalid command line or ' +
      'environment; 3 some calls could not be made; 4 resources may be left behind.',
  ],
  run: runVerify,
}

async function runVerify(parsed: Arguments, environment: NodeJS.ProcessEnv): Promise<number> {
  const args = parseVerifyFlags(parsed)
  const [typed, ...rest] = parsed.words
  requireNoWords(rest, 'verify URL', parsed)
  const list = new RunLogFile(args.listFile)
  const stopping = abortOnSignal()
  try {
    if (args.isClean) return await clean(list, args, environment, typed, stopping.signal)
    const { isPlan, timeout } = args
    const target = parseTarget(typed ?? '', environment, isPlan)
    if (target.isLocal) bypassProxy(new URL(target.url).hostname, environment)
    const dialect = args.dialect ?? (isPlan ? 'ngrok' : await detectDialect(target, timeout, stopping.signal))
    if (typeof dialect !== 'string') {
      printErrorLine(dialect.problem)
      return 3
    }
    const options = {
      ...args,
      ...target,
      perMinute: rateFor(args, target),
      dialect,
      domain: args.domain ?? (target.isLocal ? 'example.com' : undefined),
      log: list,
      signal: stopping.signal,
      upload: certificatePair({ names: ['fauxgate-verify.example.com', 'www.fauxgate-verify.example.com'] }),
      run: createSecret().slice(0, RUN_LENGTH),
      host: HOST,
    }
    return await compareAndPrint(options, args, list)
  } finally {
    stopping.end()
  }
}

/** Asks for consent, runs the comparison, and prints the result. */
async function compareAndPrint(options: VerifyOptions, args: VerifySettings, list: RunLogFile): Promise<number> {
  const { record, junit } = args
  const plan = planOf(options)
  if (args.isPlan) return print(planText(plan, options))
  if (list.hasLeftovers)
    throw new UsageError(
      `${list.file} says that an earlier run left something behind. Run "fauxgate verify --clean" first.`,
    )
  if (!options.isReadOnly && !args.isConfirmed) await requireConsent(planText(plan, options, true))
  if (record !== undefined) requireCanWrite(record)
  if (junit !== undefined) requireCanWrite(junit, 0o644)
  // Earlier runs, perhaps against another server, left nothing. Their entries would make --clean send deletions to that server.
  list.remove()
  // On this machine, the run is quick.
  if (plan.requests > options.perMinute)
    printErrorLine(`about ${plan.requests} requests, ${durationText(plan.requests, options.perMinute)}`)
  const line = progressLine()
  const exchanges: RecordedExchange[] = []
  const onExchange = (exchange: Exchange) => void exchanges.push({ ...exchange, at: HOST.now() })
  const recording = record !== undefined && { onExchange }
  const report = await verify({ ...options, onProgress: line.show, ...recording }).finally(line.clear)
  if (record !== undefined) {
    const facts = { client: 'fauxgate verify', version, dialect: options.dialect, url: options.url }
    await writeText(record, recordingText(exchanges, [options.key], facts))
  }
  if (report.remaining.length === 0) list.remove()
  const secrets = createRedactor([options.key])
  const exitCode = exitCodeOf(report)
  if (junit !== undefined) await writeText(junit, redactText(reportXml(report), secrets), 0o644)
  const text = args.isJson ? `${JSON.stringify({ ...report, exitCode }, null, 2)}\n` : reportText(report)
  print(redactText(text, secrets))
  return exitCode
}

const RUN_LENGTH = 8

const HOST: VerifyHost = {
  fetch: (url, init) => fetch(url, init),
  now: () => readClock(systemClock),
  sleep,
  deadline: (ms) => AbortSignal.timeout(ms),
}

/** Detects the dialect. Sends one request, and looks for the dialect's header in the response. */
async function detectDialect(
  target: ReturnType<typeof parseTarget>,
  timeout: number,
  signal: AbortSignal,
): Promise<DialectName | { readonly problem: string }> {
  const { url } = target
  const named = Object.values(dialects)
  const versionHeader = named[0]?.versionHeader ?? ''
  const client = new ServiceClient({ ...target, versionHeader, timeout, perMinute: 60, host: HOST, signal })
  const headers = Object.fromEntries(named.map(({ versionHeader }) => [versionHeader, '2']))
  const response = await client.send({ method: 'GET', path: '/reserved_domains?limit=1', headers })
  if ('failed' in response) return { problem: `${url} cannot be reached: ${response.failed}.` }
  const known = dialectNames.find((name) => dialects[name].operationIdHeader.toLowerCase() in response.headers)
  if (known) return known
  const headersOf = dialectNames.map((name) => dialects[name].operationIdHeader).join(' or ')
  return {
    problem:
      `The server at ${url} does not look like this API: it responded with ${response.status}, without the ${headersOf} header. ` +
      'Set its dialect with --dialect.',
  }
}

/**
 * Returns a signal that the first SIGINT, SIGTERM, or SIGHUP aborts, and a function that stops listening. A second such signal ends the
 * process.
 */
function abortOnSignal() {
  const stopped = new AbortController()
  const stop = () => {
    breakLine()
    printErrorLine('stopping; deleting what was created first. Send another signal to stop immediately.')
    end()
    stopped.abort()
  }
  const end = onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], stop)
  return { signal: stopped.signal, end }
}

async function requireConsent(plan: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      'verify creates resources and deletes them again. Without a terminal, it cannot ask you first: add --yes, --read-only, or --plan.',
    )
  const answer = await askAtTerminal(`${plan}Continue? [y/N] `, process.stderr)
  if (!/^y(es)?$/i.test(answer)) throw new UsageError('No requests that create resources were sent.')
}

/** The number of progress lines to print without a terminal. */
const PROGRESS_LINES = 10

/** Returns functions that show the progress of a run on one terminal line and clear it. Without a terminal, prints a few lines. */
function progressLine() {
  let printed = 0
  return {
    show: ({ done, total, now }: Progress) => {
      showProgress(`${done} of about ${total}  ${now}`)
      const part = Math.min(PROGRESS_LINES, Math.floor((done * PROGRESS_LINES) / Math.max(1, total)))
      if (process.stderr.isTTY || part <= printed) return
      printed = part
      printErrorLine(`${done} of about ${total} requests`)
    },
    clear: () => showProgress(''),
  }
}

/** Deletes the resources left by earlier runs, based on their log. */
async function clean(
  list: RunLogFile,
  args: VerifySettings,
  environment: NodeJS.ProcessEnv,
  typed: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  const entries = list.read()
  // Runs before the last one left nothing. Otherwise, the last run would not have started.
  const started = entries.findLast((each) => each.entry === 'run')
  if (!started) return print(`${list.file} is empty, so nothing was left behind.\n`)
  const target = parseTarget(started.url, environment)
  if (typed !== undefined && parseTarget(typed, environment).url !== target.url)
    throw new UsageError(
      `${list.file} is the list of a run against ${target.url}. Omit the URL, or choose another list with --list.`,
    )
  list.removeCutLine()
  const { versionHeader } = dialects[isDialectName(started.dialect) ? started.dialect : 'ngrok']
  const client = new ServiceClient({
    ...target,
    versionHeader,
    timeout: args.timeout,
    perMinute: rateFor(args, target),
    host: HOST,
    signal,
  })
  const remaining = await deleteLeftovers(client, new RunLog(list, entries), markOf(started.run))
  if (remaining.length === 0) list.remove()
  for (const { path, reason } of remaining) printErrorLine(`${path} may be left behind: ${reason}`)
  return remaining.length === 0 ? print('Everything left behind has been deleted.\n') : 4
}
