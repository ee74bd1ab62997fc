import { readClock, systemClock } from '../../core/engine/clock.ts'
import { parseHar } from '../../verify/har-reader.ts'
import { hasPassed, type KnownDifference, replay, replayText } from '../../verify/replay.ts'
import { parseJson, readText } from '../files.ts'
import { switchFlag, textFlag } from '../options/flags.ts'
import { print, warn } from '../terminal.ts'
import { type Command, flagValue, requireOneWord } from './command.ts'

export const replayCommand: Command = {
  name: 'replay',
  words: 'FILE',
  summary: 'Send the requests of a recording to a fresh gateway, and compare the responses',
  flags: [
    textFlag('known', 'FILE', 'A JSON file that lists accepted differences, each with "request", "at", and "reason".'),
    switchFlag('json', 'Print the result as JSON.'),
  ],
  example: 'replay service.har',
  notes: [
    'FILE is a HAR 1.2 file from fauxgate or another program, such as a browser.',
    'Nothing is sent to the service. Exit codes: 0 no differences; 1 differences, or nothing was compared.',
  ],
  async run(parsed) {
    const file = requireOneWord(replayCommand, parsed)
    const named = flagValue(parsed, 'known')
    const known = named === undefined ? [] : await readKnownDifferences(named)
    const report = await replay(parseHar(await readText(file), file), { now: readClock(systemClock), known })
    for (const warning of report.warnings) warn(warning)
    print(parsed.flags.get('json') ? `${JSON.stringify(report, null, 2)}\n` : replayText(report))
    return hasPassed(report) ? 0 : 1
  },
}

async function readKnownDifferences(file: string): Promise<readonly KnownDifference[]> {
  const list: unknown = parseJson(await readText(file), file)
  const isKnown = (each: Partial<Record<string, unknown>> | null) =>
    ['request', 'at', 'reason'].every((name) => typeof each?.[name] === 'string' && each[name] !== '')
  if (Array.isArray(list) && list.every(isKnown)) return list
  throw new Error(
    `${file} is not a list of known differences. Allowed: a JSON array of objects with string fields "request", "at", and "reason".`,
  )
}
