import { readClock, systemClock } from '../../engine/clock.ts'
import { recordingIn } from '../../verify/har.ts'
import { isFine, type KnownDifference, replay } from '../../verify/replay.ts'
import { replayText } from '../../verify/replay-text.ts'
import { textOf } from '../client/ask.ts'
import { UsageError } from '../errors.ts'
import { type Command, requireNoWords } from './command.ts'

export const replayCommand: Command = {
  name: 'replay',
  words: 'FILE',
  summary: 'Ask a fresh gateway what a recording asked a service, and compare the answers',
  flags: [
    {
      flag: 'known',
      kind: 'text',
      value: 'FILE',
      sentence: 'A JSON file with a list of known differences, each with "request", "at" and "reason".',
    },
    { flag: 'json', kind: 'switch', value: '', sentence: 'Print the result as JSON.' },
  ],
  notes: ['Nothing is sent to a service. Exit codes: 0 nothing differs; 1 something does, or nothing was compared.'],
  async run({ words: [file, ...rest], flags }) {
    requireNoWords(rest, 'replay')
    if (file === undefined) throw new UsageError('replay needs a recording, for example "fauxgate replay service.har".')
    const named = flags.get('known')
    const known = Array.isArray(named) ? await knownIn(named[0] ?? '') : []
    const report = await replay(recordingIn(await textOf(file), file), { now: readClock(systemClock), known })
    for (const warning of report.warnings) process.stderr.write(`fauxgate: warning: ${warning}\n`)
    process.stdout.write(flags.get('json') === true ? `${JSON.stringify(report, null, 2)}\n` : replayText(report))
    return isFine(report) ? 0 : 1
  },
}

async function knownIn(file: string): Promise<readonly KnownDifference[]> {
  const wrong = `${file} is no list of known differences. Allowed: a JSON array of objects with the texts "request", "at" and "reason".`
  let list: unknown
  try {
    list = JSON.parse(await textOf(file))
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(wrong, { cause: error })
    throw error
  }
  const isKnown = (each: Partial<Record<string, unknown>> | null) =>
    ['request', 'at', 'reason'].every((name) => typeof each?.[name] === 'string' && each[name] !== '')
  if (Array.isArray(list) && list.every(isKnown)) return list
  throw new Error(wrong)
}
