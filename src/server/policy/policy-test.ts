import type { PolicyTestResult } from '../../testing/policy-tests/run.ts'
import { type Command, flagValue, requireOneOf, throwMissingWords } from '../commands/command.ts'
import { waitForChange } from '../commands/watch.ts'
import { messageOf, UsageError } from '../errors.ts'
import { createPainter } from '../log/log.ts'
import { switchFlag, textFlag } from '../options/flags.ts'
import { printErrorLine, printPainted } from '../terminal.ts'
import { waitForSignal } from '../waiting.ts'
import { listFiles } from './read-files.ts'
import { TEST_FORMATS } from './render-tests.ts'
import { loadPolicyTests, toRelative } from './test-files.ts'
import { percentOf, type TestedFile } from './tested-file.ts'

const FORMAT_NAMES = ['text', 'json', 'junit', 'github'] as const

export const policyTestCommand: Command = {
  name: 'policy test',
  words: 'FILE…',
  summary: 'Test traffic policies: send requests, and compare the responses',
  flags: [
    textFlag('format', FORMAT_NAMES.join('|'), 'The format of the output. Default: `text`.'),
    textFlag(
      'fail-under',
      'PERCENT',
      'Fail if the tests reach less than this percentage of the outcomes of rules and actions.',
    ),
    switchFlag('watch', 'Run the tests again whenever a test file or its policy changes.'),
  ],
  example: 'policy test policy.test.yml',
  notes: [
    'FILE contains a policy and its tests, in YAML or JSON. In a folder, the command tests the files whose names end with .test.yml, ' +
      '.test.yaml, or .test.json.',
    'Exit codes: 0 all tests passed; 1 a test failed, or --fail-under was not reached; 2 invalid command line, unreadable file, or no test files.',
  ],
  async run(parsed, environment) {
    if (parsed.words.length === 0) throwMissingWords('policy test', 'FILE', 'policy test policy.test.yml')
    const format = requireOneOf('--format', flagValue(parsed, 'format') ?? 'text', FORMAT_NAMES)
    const least = readPercent(flagValue(parsed, 'fail-under'))
    const runOnce = async () => {
      const { tested, hasFailed } = await testAll(await listTestFiles(parsed.words), parsed.words)
      printPainted(TEST_FORMATS[format](tested, createPainter(process.stdout, environment)))
      const low = tested.filter(({ rules }) => percentOf(rules) < least)
      for (const { policyFile, rules } of low)
        printErrorLine(
          `${policyFile}: the tests reach ${percentOf(rules)} % of the outcomes of its rules and actions, below --fail-under ${least}.`,
        )
      const isRed =
        low.length > 0 || tested.some(({ results }) => results.some(({ differences }) => differences.length > 0))
      return hasFailed ? 2 : isRed ? 1 : 0
    }
    return await (parsed.flags.get('watch') ? runRepeatedly(parsed.words, runOnce) : runOnce())
  },
}

/** Runs the tests, and again after each change of their files, until a signal stops the process. */
async function runRepeatedly(words: readonly string[], runOnce: () => Promise<number>): Promise<number> {
  const stopped = new AbortController()
  let isAsked = false
  const ended = waitForSignal(['SIGINT', 'SIGTERM'], stopped.signal).then(() => {
    isAsked = true
  })
  let code = 0
  while (!isAsked) {
    const round = new AbortController()
    // A change while the tests run counts too.
    const changed = waitForChange(await listWatchedFiles(words), async () => undefined, round.signal)
    code = await runOnce()
    await Promise.race([ended, changed])
    round.abort()
  }
  stopped.abort()
  return code
}

/** Returns the test files and their policies. */
async function listWatchedFiles(words: readonly string[]): Promise<readonly string[]> {
  const files = await listTestFiles(words)
  const all = files.flatMap((file) => {
    try {
      return [file, loadPolicyTests(file).policyFile]
    } catch {
      // The run reports the file's problems.
      return file
    }
  })
  return [...new Set(all)]
}

/** Reads a percentage of a flag. @throws UsageError for any other text */
function readPercent(text: string | undefined): number {
  const percent = Number(text ?? 0)
  if (/^\d{1,3}$/.test(text ?? '0') && percent <= 100) return percent
  throw new UsageError(`--fail-under is "${text}". Allowed: a whole number from 0 to 100.`)
}

async function listTestFiles(words: readonly string[]): Promise<readonly string[]> {
  const files = await listFiles(words)
  // A folder contains policies as well as tests.
  return files.filter((file) => words.includes(file) || /\.test\.(ya?ml|json)$/.test(file)).map(toRelative)
}

async function testAll(files: readonly string[], words: readonly string[]) {
  const tested: TestedFile[] = []
  let hasFailed = files.length === 0
  if (hasFailed)
    printErrorLine(
      `No test files in ${words.join(', ')}. Names of test files end with .test.yml, .test.yaml, or .test.json.`,
    )
  for (const file of files) {
    try {
      const { tests, policyFile, load } = loadPolicyTests(file)
      const run = await load()
      const results: PolicyTestResult[] = []
      for (const each of tests) results.push(await run.run(each))
      const known = tested.flatMap((each) => (each.policyFile === policyFile ? each.warnings : []))
      const warnings = run.warnings.filter(
        ({ rule, line, column }) =>
          !known.some((each) => each.rule === rule && each.line === line && each.column === column),
      )
      tested.push({ file, policyFile, results, rules: run.coverage.list(), warnings })
    } catch (error) {
      // Continue with the other files.
      printErrorLine(messageOf(error))
      hasFailed = true
    }
  }
  return { tested, hasFailed }
}
