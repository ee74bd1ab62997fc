import { describe, expect, it } from 'vitest'
import { documentationOf } from '../../src/core/schema/documentation.ts'
import { clientCommands } from '../../src/server/client/commands.ts'
import { allCommands as commands } from '../../src/server/commands/all.ts'
import { configRows } from '../../src/server/options/config.ts'
import { runToEnd } from '../support/command.ts'

/** Reads the help on a command: its usage, its summary, and each flag with its sentence. */
async function readHelp(name: string) {
  const { code, stdout, stderr } = await runToEnd({}, 'help', ...name.split(' '))
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/[^\n]\n$/)
  expect(stdout).not.toMatch(/\n\n\n|[`]| \n/)
  const [usage = '', summary = '', ...rest] = stdout.trimEnd().split('\n\n')
  const text = rest[0]?.startsWith('  --') ? rest.shift() : undefined
  const rows = (text?.split(/\n(?= {2}--)/) ?? []).map((row) => row.trim().split(/ {2,}|(?<=^.{31,}) (?=[A-Z])/s))
  return {
    usage,
    summary,
    flags: rows.map(([flag = '']) => flag.trim()),
    sentences: rows.map(([, ...lines]) => lines.map((line) => line.trim()).join(' ')),
    notes: rest,
  }
}

describe('The help', () => {
  it('on all commands lists each command, in order, and the exit codes', async () => {
    const { stdout } = await runToEnd({}, 'help')
    const [head, about, rows = '', more, exits] = stdout.split(/\n\n|\n(?=Exit codes)/)
    expect(head).toBe('Usage: fauxgate <command> [options]')
    expect(about).toMatch(/^An emulated tunnel gateway's management API: .*\.$/)
    const text = rows.replace(/\n {34}/g, ' ').replace(/ {2,}/g, '  ')
    expect(text.trim()).toBe(
      commands.map(({ name, words, summary }) => `${`${name} ${words}`.trim()}  ${summary}.`).join('\n  '),
    )
    expect(more).toMatch(/^fauxgate help <command> says more\. .*\n.*or by --url\.$/)
    expect(exits).toMatch(
      /^Exit codes: 0 done, .*; 1 it could not be done; 2 the command line, the environment or\na .*\.\n$/,
    )
  })

  it.each(commands)('on $name lists its words and flags, each flag with a sentence', async (command) => {
    const { usage, summary, flags, sentences } = await readHelp(command.name)
    expect(usage).toBe(
      `Usage: fauxgate ${command.name}${command.words && ` ${command.words}`}${command.flags.length > 0 ? ' [options]' : ''}`,
    )
    const expected = command.flags.map(
      ({ flag, value, kind }) => `--${flag}${value && ` ${value}`}${kind === 'texts' ? ' …' : ''}`,
    )
    expect(flags).toEqual(expected)
    if (clientCommands.includes(command))
      expect(flags.slice(-3)).toEqual(['--url URL', '--control-key KEY', '--ca FILE'])
    expect(summary).toMatch(/^[A-Z].{9,}[^.]\.$/)
    expect(sentences).toHaveLength(flags.length)
    for (const sentence of sentences) {
      expect(sentence).toMatch(/^[A-Z].{9,}\.$/)
      expect(sentence).not.toMatch(/Default: false/)
    }
  })

  it('has a sentence for every option, also for options without a flag', () => {
    for (const row of Object.values(configRows)) expect(documentationOf(row).sentence).toMatch(/^[A-Z].{9,}\.$/s)
  })
})
