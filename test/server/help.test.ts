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
  it('on "fauxgate http" has the defaults of that command, and on "fauxgate serve" its own', async () => {
    const defaultsOf = async (name: string) => {
      const { flags, sentences } = await readHelp(name)
      const rows = flags.map((flag, at) => [flag.split(' ')[0], sentences[at]?.split('(default: ')[1]] as const)
      return Object.fromEntries(rows.filter(([flag = '']) => /^--(agent|dialect|traffic|traffic-tls)$/.test(flag)))
    }
    const ofHttp = { '--agent': '4040)', '--dialect': 'ngrok)', '--traffic': '8080)', '--traffic-tls': '8443)' }
    expect(await defaultsOf('http')).toEqual(ofHttp)
    const none = { '--agent': undefined, '--dialect': 'standard)', '--traffic': undefined, '--traffic-tls': undefined }
    expect(await defaultsOf('serve')).toEqual(none)
  })

  it('on all commands lists each command once, under a heading, and the exit codes', async () => {
    const { stdout } = await runToEnd({}, 'help')
    const [head, about, ...parts] = stdout.split('\n\n')
    expect(head).toBe('Usage: fauxgate <command> [options]')
    expect(about).toMatch(/^Emulates a tunnel gateway's management API, .*\.$/)
    const more = parts.pop()
    const headings = parts.map((part) => part.split('\n')[0])
    expect([headings[0], headings.at(-1)]).toEqual(['Start and connect:', 'Sandboxes:'])
    for (const heading of headings) expect(heading).toMatch(/^[A-Z][\w ]+:$/)
    const rows = parts.flatMap((part) => {
      const text = part.replace(/^.*\n/, '').replace(/\n {34}/g, ' ')
      return text.split('\n').map((row) => row.trim().replace(/ {2,}/, '  '))
    })
    const expected = commands.map(({ name, words, summary }) => `${`${name} ${words}`.trim()}  ${summary}.`)
    expect(rows.sort()).toEqual(expected.sort())
    expect(more).toMatch(
      /^Run "fauxgate help <command>" for .*\n.*or with --url\.\nExit codes: 0 success, .*; 1 failure; 2 invalid command line, environment\nor config file\. `fauxgate verify` and `fauxgate survives` have more\.\n$/,
    )
  })

  it('names the commands that control a running server', async () => {
    const { stdout } = await runToEnd({}, 'help')
    const names = [...stdout.matchAll(/^ {2}([a-z-]+(?: [a-z]+)?)(?= )/gm)].map(([, name = '']) => name)
    const between = names.slice(names.indexOf('clock'), names.lastIndexOf('state import') + 1)
    const controlling = clientCommands.map(({ name }) => name)
    expect(between.filter((name) => !controlling.includes(name))).toEqual(['policy check', 'policy test'])
    expect(controlling.filter((name) => !between.includes(name))).toEqual([])
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
      expect(sentence).toMatch(/^[A-Z].{9,}(?:\.|\. \(default: .+\))$/)
      expect(sentence).not.toMatch(/Default|default: (?:none|false)|^True/)
    }
  })

  it.each(commands)('on $name says that a flag can be repeated if one has "…"', async ({ name }) => {
    const { flags, notes } = await readHelp(name)
    expect(notes.includes('A flag with "…" takes one value, and can be repeated.')).toBe(
      flags.some((flag) => flag.endsWith('…')),
    )
  })

  it('has a sentence for every option, also for options without a flag', () => {
    for (const row of Object.values(configRows)) expect(documentationOf(row).sentence).toMatch(/^[A-Z].{9,}\.$/s)
  })
})
