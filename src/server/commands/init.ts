import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import { asSystemError } from '../errors.ts'
import { parseJson, readText, writeError } from '../files.ts'
import { switchFlag, textFlag } from '../options/flags.ts'
import { askAtTerminal, printLine } from '../terminal.ts'
import { type Arguments, type Command, flagValue, requireNoWords, requireOneOf } from './command.ts'
import {
  DELAY,
  firstTest,
  fixtureFor,
  INITIAL,
  type InitFile,
  type ProjectFacts,
  RUNNERS,
  type TestRunner,
} from './init-test.ts'
import { jestConfigFor, missingInJest } from './jest-config.ts'

export const init: Command = {
  name: 'init',
  words: '',
  summary: 'Write a config file, an initial state, and a first test, without changing existing files',
  flags: [
    textFlag(
      'runner',
      RUNNERS.join('|'),
      'The test runner. Default: the test runner in package.json, or node (`node --test`).',
    ),
    switchFlag('yes', "Don't ask questions. This is the default without a terminal."),
  ],
  run: runInit,
}

async function runInit(parsed: Arguments): Promise<number> {
  requireNoWords(parsed.words, 'init', parsed)
  const { type, words, jest } = await readProject()
  const named = flagValue(parsed, 'runner')
  const runner = named === undefined ? findRunner(words) : requireOneOf('--runner', named, RUNNERS)
  const shouldAsk = !parsed.flags.get('yes') && named === undefined && process.stdin.isTTY && process.stdout.isTTY
  const chosen = shouldAsk ? await askForRunner(runner) : runner
  const facts = {
    isModule: type === 'module',
    isTyped: existsSync('tsconfig.json'),
    hasTsJest: words.includes('ts-jest'),
    jestConfig: await readJestConfig(jest),
  }
  for (const each of initFilesFor(chosen, facts)) printLine(await writeNewFile(each))
  const missing = chosen === 'jest' ? missingInJest(facts) : undefined
  if (missing !== undefined) printLine(`missing from Jest's configuration: ${missing}`)
  const reason = facts.isTyped ? whyJavaScript(chosen, facts) : undefined
  if (reason !== undefined) printLine(`${testName(chosen, facts)} is JavaScript: ${reason}`)
  if (facts.isTyped && /\.m?ts$/.test(testName(chosen, facts)) && !BUILT_IN_TYPES.includes(chosen))
    printLine(NODE_TYPES)
  printLine(`\nRun the test:      ${commandOf(chosen, facts)}`)
  printLine('Start the server:  npx fauxgate serve')
  return 0
}

/** These runners come with the types of Node's modules. */
const BUILT_IN_TYPES: readonly TestRunner[] = ['deno']

const NODE_TYPES =
  'tsc needs Node\'s types for the test: npm install --save-dev @types/node, with "types": ["node"] in tsconfig.json.'

interface Project {
  readonly type: unknown
  /** The names of its dependencies, and the words in its test script. */
  readonly words: readonly string[]
  /** Jest's configuration in package.json. */
  readonly jest: unknown
}

/** Reads package.json. */
async function readProject(): Promise<Project> {
  const file = 'package.json'
  const project: unknown = existsSync(file) ? parseJson(await readText(file), file) : {}
  if (!isObject(project)) throw new Error(`${file} contains ${quote(project)}. Allowed: an object.`)
  const { type, dependencies, devDependencies, scripts, jest } = project
  const names = [dependencies, devDependencies].flatMap((each) => (isObject(each) ? Object.keys(each) : []))
  const script = isObject(scripts) && typeof scripts.test === 'string' ? scripts.test.split(/\s+/) : []
  return { type, words: [...names, ...script], jest }
}

const JEST_CONFIGS = ['js', 'mjs', 'cjs', 'ts', 'json'].map((ending) => `jest.config.${ending}`)

/** Returns the text of Jest's configuration, or undefined if there is none. */
async function readJestConfig(inPackage: unknown): Promise<string | undefined> {
  const file = JEST_CONFIGS.find((name) => existsSync(name))
  if (file !== undefined) return readText(file)
  return inPackage === undefined ? undefined : JSON.stringify(inPackage)
}

function findRunner(words: readonly string[]): TestRunner {
  return RUNNERS.find((runner) => words.includes(runner) || words.includes(`@${runner}/test`)) ?? 'node'
}

async function askForRunner(runner: TestRunner): Promise<TestRunner> {
  const question = `Which test runner do you use: ${RUNNERS.join(', ')}? [${runner}] `
  const answer = await askAtTerminal(question, process.stdout)
  return answer === '' ? runner : requireOneOf('The response', answer, RUNNERS)
}

/** Writes a file, unless it exists. Returns a line that says whether it was written. */
export async function writeNewFile({ name, purpose, text }: InitFile): Promise<string> {
  try {
    await writeFile(name, text, { flag: 'wx' })
    return `wrote  ${name}, ${purpose}`
  } catch (error) {
    if (asSystemError(error).code !== 'EEXIST') throw writeError(name, error)
    return `kept   ${name}, which already exists`
  }
}

/** Returns the files for a test runner. The last file is the test. */
function initFilesFor(runner: TestRunner, facts: ProjectFacts): readonly InitFile[] {
  const config = { dialect: 'ngrok', port: 4747, initial: INITIAL, provisioningDelay: DELAY }
  const initial = {
    reservedDomains: [{ domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }],
    reservedAddrs: [{ region: 'eu', description: 'for the staging gate' }],
  }
  return [
    { name: 'fauxgate.config.json', purpose: 'the options of "fauxgate serve"', text: json(config) },
    { name: INITIAL, purpose: 'the resources that exist at the start', text: json(initial) },
    ...(runner === 'jest' ? [...jestConfigFor(facts), ...fixtureFor(facts)] : []),
    { name: testName(runner, facts), purpose: 'a first test', text: firstTest(runner, facts) },
  ]
}

/** Returns the command that runs the first test. */
function commandOf(runner: TestRunner, facts: ProjectFacts): string {
  const test = testName(runner, facts)
  const commands: Readonly<Record<TestRunner, string>> = {
    vitest: `npx vitest run ${test}`,
    jest: `${facts.isModule ? 'NODE_OPTIONS=--experimental-vm-modules ' : ''}npx jest ${test}`,
    playwright: `npx playwright test ${test}`,
    bun: `bun test ${test}`,
    deno: `deno test --allow-read --allow-env ${test}`,
    node: `node --test ${test}`,
  }
  return commands[runner]
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Returns the file name of the first test. It is TypeScript if the project uses it and the runner accepts it. */
function testName(runner: TestRunner, facts: ProjectFacts): string {
  const { isModule, isTyped, hasTsJest } = facts
  const isTypeScript = runner === 'jest' ? hasTsJest : isTyped && whyJavaScript(runner, facts) === undefined
  // Node detects a module by the file's extension, and other runners by its text.
  const needsEnding = !isModule && (runner === 'node' || !isTypeScript) && runner !== 'jest'
  return `fauxgate.test.${needsEnding ? 'm' : ''}${isTypeScript ? 'ts' : 'js'}`
}

/** Returns why a runner does not accept a test in TypeScript, or undefined if it does. */
function whyJavaScript(runner: TestRunner, { hasTsJest }: ProjectFacts): string | undefined {
  if (runner === 'jest') return hasTsJest ? undefined : 'package.json does not mention ts-jest.'
  // Node's types do not include this feature yet.
  const doesNodeTakeIt = Boolean(Reflect.get(process.features, 'typescript'))
  if (runner !== 'node' || doesNodeTakeIt) return undefined
  return `Node ${process.version} cannot run TypeScript. Node 22.18 and newer can.`
}
