import { writeFile } from 'node:fs/promises'
import { jsonProblem } from '../../schema/json-text.ts'
import { type Arguments, requireNoWords } from '../commands/arguments.ts'
import { UsageError } from '../commands/usage-error.ts'
import { askControl, type Where } from './ask.ts'
import { textOf } from './text-of.ts'

/** `fauxgate state export`: a snapshot of a running server. */
export const stateExport = {
  name: 'state export',
  words: '[FILE]',
  summary: 'Write a snapshot of the state to a file, or print it; it has no private keys',
  flags: [],
  async run({ words: [file, ...rest] }: Arguments, where: Where): Promise<number> {
    requireNoWords(rest, 'state export')
    const text = `${JSON.stringify(await askControl(where, 'GET', '/state'))}\n`
    if (file === undefined) process.stdout.write(text)
    else await writeFile(file, text, { mode: 0o600 })
    return 0
  },
}

/** `fauxgate state import`: puts the state of a snapshot in the place of that of a running server. */
export const stateImport = {
  name: 'state import',
  words: 'FILE',
  summary: 'Put the state of a snapshot in the place of the state',
  flags: [],
  async run({ words: [file, ...rest] }: Arguments, where: Where): Promise<number> {
    if (file === undefined) throw new UsageError('Behind state import comes FILE.')
    requireNoWords(rest, 'state import')
    await askControl(where, 'PUT', '/state', parsed(await textOf(file), file))
    return 0
  },
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${file} is not JSON: ${jsonProblem(text)}.`)
  }
}
