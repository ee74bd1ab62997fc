import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { suggestion } from '../../schema/nearest.ts'
import { isObject } from '../../schema/values.ts'
import { caught, UsageError } from '../errors.ts'
import type { Command } from './command.ts'
import { type Arguments, requireNoWords } from './command.ts'
import { commandOf, type Written, writtenFor } from './init-files.ts'
import { RUNNERS, type Runner } from './init-project.ts'

export const init: Command = {
  name: 'init',
  words: '',
  summary: 'Write a config file, an initial state and a first test; existing files stay unchanged',
  flags: [
    {
      flag: 'runner',
      kind: 'text',
      value: RUNNERS.join('|'),
      sentence: 'The test runner. Default: the one in package.json, or node, which is `node --test`.',
    },
    {
      flag: 'yes',
      kind: 'switch',
      value: '',
      sentence: 'Ask no questions. Without a terminal there are none either.',
    },
  ],
  run: runInit,
}

async function runInit({ flags, words }: Arguments): Promise<number> {
  requireNoWords(words, 'init')
  const project = await readProject()
  const named = flags.get('runner')
  const runner = Array.isArray(named) ? requireRunner('--runner', named[0] ?? '') : found(project)
  const isAsked =
    !flags.get('yes') && !Array.isArray(named) && process.stdin.isTTY === true && process.stdout.isTTY === true
  const chosen = isAsked ? await asked(runner) : runner
  const facts = {
    isModule: project.type === 'module',
    isTyped: existsSync('tsconfig.json'),
    hasTsJest: project.words.includes('ts-jest'),
  }
  for (const each of writtenFor(chosen, facts)) say(await write(each))
  say(`\nRun the test:      ${commandOf(chosen, facts)}`)
  say('Start the server:  npx fauxgate serve')
  return 0
}

interface Project {
  readonly type: unknown
  /** The names of packages, and the text of the script that runs the tests. */
  readonly words: readonly string[]
}

async function readProject(): Promise<Project> {
  if (!existsSync('package.json')) return { type: undefined, words: [] }
  try {
    const { type, dependencies, devDependencies, scripts } = JSON.parse(await readFile('package.json', 'utf8'))
    const names = [dependencies, devDependencies].flatMap((each) => (isObject(each) ? Object.keys(each) : []))
    const script = isObject(scripts) && typeof scripts.test === 'string' ? scripts.test.split(/\s+/) : []
    return { type, words: [...names, ...script] }
  } catch {
    throw new Error('package.json is not JSON.')
  }
}

function found({ words }: Project): Runner {
  return RUNNERS.find((runner) => words.includes(runner) || words.includes(`@${runner}/test`)) ?? 'node'
}

function requireRunner(what: string, name: string): Runner {
  const known = RUNNERS.find((runner) => runner === name)
  if (known) return known
  throw new UsageError(
    `${what} is ${JSON.stringify(name)}. Allowed: ${RUNNERS.join(', ')}.${suggestion(name, RUNNERS)}`,
  )
}

async function asked(runner: Runner): Promise<Runner> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = (await lines.question(`What runs your tests: ${RUNNERS.join(', ')}? [${runner}] `)).trim()
    return answer === '' ? runner : requireRunner('The answer', answer)
  } finally {
    lines.close()
  }
}

/** Writes a file unless it exists, and says which of the two happened. */
export async function write({ name, what, text }: Written): Promise<string> {
  try {
    await writeFile(name, text, { flag: 'wx' })
    return `wrote  ${name}, ${what}`
  } catch (error) {
    if (caught(error).code !== 'EEXIST') throw error
    return `kept   ${name}, which exists already`
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
