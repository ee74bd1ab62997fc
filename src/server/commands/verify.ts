import { version } from '../../../package.json'
import { readClock, systemClock } from '../../engine/clock.ts'
import { freshSecret } from '../../engine/random.ts'
import { type DialectName, dialectNames, dialects } from '../../resources/dialects.ts'
import { secretTexts, withoutSecrets } from '../../schema/secret-texts.ts'
import { certificatePair } from '../../testing/certificates.ts'
import { Asker } from '../../verify/asker.ts'
import { cleaned } from '../../verify/cleaning.ts'
import type { Exchange } from '../../verify/exchange.ts'
import type { RecordedExchange } from '../../verify/har.ts'
import { MARK, MadeEntries } from '../../verify/made.ts'
import { type Host, Pace } from '../../verify/pace.ts'
import { planText } from '../../verify/plan-text.ts'
import { exitCodeOf, type Report, reportText, reportXml } from '../../verify/report.ts'
import { recordingText } from '../../verify/sanitize.ts'
import { planOf } from '../../verify/scenarios.ts'
import { type Progress, type VerifyOptions, verify } from '../../verify/verify.ts'
import { UsageError } from '../errors.ts'
import { requireCanWrite, write } from '../files.ts'
import { MadeFile } from '../made-file.ts'
import { askAtTerminal, print } from '../terminal.ts'
import { onSignals, waited } from '../waiting.ts'
import { type Arguments, type Command, requireNoWords } from './command.ts'
import { type Target, targetOf, type VerifyArguments, verifyArguments, verifyFlags } from './verify-flags.ts'

export const verifyCommand: Command = {
  name: 'verify',
  words: 'URL',
  summary: "Send fauxgate's scenarios to a server, and compare its responses with those of a fresh gateway",
  flags: verifyFlags,
  notes: [
    'NGROK_API_KEY is the key; it is never printed. A server on this machine needs none.',
    'It changes and deletes only what it has made, which it names fauxgate-verify-…, and deletes all of that at the end, also after SIGINT.',
    'Exit codes: 0 nothing differs; 1 an answer or the inventory differs; 2 the command line or the environment is wrong; 3 something could not be called; 4 something may be left behind.',
  ],
  run: runVerify,
}

async function runVerify(parsed: Arguments, environment: NodeJS.ProcessEnv): Promise<number> {
  const args = verifyArguments(parsed)
  const [typed, ...rest] = parsed.words
  requireNoWords(rest, 'verify URL', parsed)
  const file = new MadeFile(args.list)
  if (args.is('clean')) return clean(file, args, environment, typed)
  const target = targetOf(typed ?? '', environment)
  const dialect = args.dialect ?? (await dialectOf(target, args))
  if (typeof dialect !== 'string') return cannotAsk(dialect.problem)
  const stopping = untilStopped()
  try {
    return await compared(optionsFor(args, target, dialect, file, stopping.signal), args, file)
  } finally {
    file.close()
    stopping.end()
  }
}

/** Asks whether it may, runs the comparison, and prints the result. */
async function compared(options: VerifyOptions, args: VerifyArguments, file: MadeFile): Promise<number> {
  const plan = planOf(options)
  if (args.is('plan')) return print(planText(plan, options))
  if (file.hasLeft)
    throw new UsageError(
      `${args.list} says that an earlier run has left something. Run "fauxgate verify --clean" first.`,
    )
  if (!options.isReadOnly && !args.is('yes')) await requireConsent(planText(plan, options, true))
  if (args.record !== undefined) requireCanWrite(args.record)
  if (args.junit !== undefined) requireCanWrite(args.junit, 0o644)
  const line = progressLine()
  const exchanges: RecordedExchange[] = []
  const onExchange = (exchange: Exchange) => void exchanges.push({ ...exchange, at: HOST.now() })
  const report = await verify({ ...options, onProgress: line.show, ...(args.record !== undefined && { onExchange }) })
  line.clear()
  if (args.record !== undefined) {
    const facts = { client: 'fauxgate verify', version, dialect: options.dialect, url: options.url }
    await write(args.record, recordingText(exchanges, [options.key], facts))
  }
  if (report.remaining.length === 0) file.remove()
  return printed(report, args, options.key)
}

function optionsFor(
  args: VerifyArguments,
  target: Target,
  dialect: DialectName,
  list: MadeFile,
  signal: AbortSignal,
): VerifyOptions {
  const { perMinute, timeout, families } = args
  const domain = args.domain ?? (target.isLocal ? 'example.com' : undefined)
  return {
    ...target,
    dialect,
    domain,
    families,
    perMinute,
    timeout,
    list,
    signal,
    isReadOnly: args.is('read-only'),
    upload: certificatePair({ names: ['fauxgate-verify.example.com', 'www.fauxgate-verify.example.com'] }),
    run: freshSecret().slice(0, RUN_LENGTH),
    host: HOST,
  }
}

const RUN_LENGTH = 8

const HOST: Host = {
  fetch: (url, init) => fetch(url, init),
  now: () => readClock(systemClock),
  sleep: waited,
  deadline: (ms) => AbortSignal.timeout(ms),
}

/** Asks once, and tells the dialect by the header that each answer has. */
async function dialectOf(
  { url, key }: Target,
  { timeout }: VerifyArguments,
): Promise<DialectName | { readonly problem: string }> {
  const named = Object.values(dialects)
  const asker = new Asker({
    url,
    key,
    versionHeader: named[0]?.versionHeader ?? '',
    timeout,
    pace: new Pace(60, HOST),
    signal: new AbortController().signal,
  })
  const headers = Object.fromEntries(named.map(({ versionHeader }) => [versionHeader, '2']))
  const answer = await asker.ask({ method: 'GET', path: '/reserved_domains?limit=1', headers })
  if ('failed' in answer) return { problem: `${url} cannot be reached: ${answer.failed}.` }
  const known = dialectNames.find((name) => dialects[name].operationIdHeader.toLowerCase() in answer.headers)
  if (known) return known
  const headersOf = dialectNames.map((name) => dialects[name].operationIdHeader).join(' or ')
  return {
    problem:
      `What answers at ${url} does not look like this API: it answered ${answer.status} without the header ${headersOf}. ` +
      'Name its dialect with --dialect.',
  }
}

/** Says why nothing was called, and returns the exit code. */
function cannotAsk(problem: string): number {
  process.stderr.write(`fauxgate: ${problem}\n`)
  return 3
}

/** A signal that SIGINT, SIGTERM and SIGHUP abort once; a second one ends the process. */
function untilStopped() {
  const stopped = new AbortController()
  const stop = () => {
    process.stderr.write('\nfauxgate: stopping; what was made is deleted first. Another signal ends it at once.\n')
    end()
    stopped.abort()
  }
  const end = onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], stop)
  return { signal: stopped.signal, end }
}

async function requireConsent(plan: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      'verify creates things and deletes them again. There is no terminal to confirm at: add --yes, --read-only or --plan.',
    )
  const answer = await askAtTerminal(`${plan}Go on? [y/N] `, process.stderr)
  if (!/^y(es)?$/i.test(answer)) throw new UsageError('Nothing was sent that creates anything.')
}

/** Shows on a terminal how far a run is, in one line. */
function progressLine() {
  const { stderr } = process
  const write = (text: string) => void (stderr.isTTY && stderr.write(`\r\x1b[K${text}`))
  const width = () => (stderr.columns || 80) - 1
  return {
    show: ({ done, total, now }: Progress) => write(`${done} of about ${total}  ${now}`.slice(0, width())),
    clear: () => write(''),
  }
}

async function printed(report: Report, args: VerifyArguments, key: string): Promise<number> {
  const secrets = secretTexts([key])
  const code = exitCodeOf(report)
  if (args.junit !== undefined) await write(args.junit, withoutSecrets(reportXml(report), secrets), 0o644)
  const text = args.is('json') ? `${JSON.stringify({ ...report, exitCode: code }, null, 2)}\n` : reportText(report)
  print(withoutSecrets(text, secrets))
  return code
}

/** Deletes what earlier runs have left, by their list. */
async function clean(
  file: MadeFile,
  args: VerifyArguments,
  environment: NodeJS.ProcessEnv,
  typed: string | undefined,
): Promise<number> {
  const entries = file.read()
  const started = entries.find((each) => each.entry === 'run')
  if (!started) return print(`${args.list} names nothing: nothing is left.\n`)
  const target = targetOf(started.url, environment)
  if (typed !== undefined && targetOf(typed, environment).url !== target.url)
    throw new UsageError(`${args.list} is of ${target.url}. Leave the URL out, or name another list with --list.`)
  const stopping = untilStopped()
  try {
    const dialect = dialects[started.dialect as DialectName] ?? dialects.ngrok // It wrote the name itself.
    const { perMinute, timeout } = args
    const pace = new Pace(perMinute, HOST)
    const options = { ...target, versionHeader: dialect.versionHeader, timeout, pace }
    const asker = new Asker({ ...options, signal: stopping.signal })
    const remaining = await cleaned(asker, new MadeEntries(file, entries), MARK + started.run, target.url)
    if (remaining.length === 0) file.remove()
    for (const { path, reason } of remaining) process.stderr.write(`fauxgate: ${path} may be left: ${reason}\n`)
    return remaining.length === 0 ? print('All that was left is deleted.\n') : 4
  } finally {
    file.close()
    stopping.end()
  }
}
