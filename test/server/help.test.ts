import { describe, expect, it } from 'vitest'
import { documentationOf } from '../../src/schema/documentation.ts'
import { clientCommands } from '../../src/server/client/commands.ts'
import { helpOn } from '../../src/server/commands/help.ts'
import { allCommands } from '../../src/server/commands/run.ts'
import { configRows } from '../../src/server/options/config.ts'
import { ran } from '../support/command.ts'

const commands = await allCommands()

/** What the help on a command says: its usage, what it does, and each flag as it is written, with its sentence. */
async function helpOf(name: string) {
  const { code, stdout, stderr } = await ran({}, 'help', ...name.split(' '))
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/[^\n]\n$/)
  expect(stdout).not.toMatch(/\n\n\n|[`]| \n/)
  const [usage = '', summary = '', ...rest] = stdout.trimEnd().split('\n\n')
  const rows = (rest[0] ?? '').split(/\n(?= {2}--)/).map((row) => row.trim().split(/ {2,}|(?<=^.{31,}) (?=[A-Z])/s))
  return {
    usage,
    summary,
    flags: rows.map(([flag = '']) => flag.trim()),
    sentences: rows.map(([, ...lines]) => lines.map((line) => line.trim()).join(' ')),
    notes: rest.slice(1),
  }
}

const WHERE = ['--url URL', '--control-key KEY', '--ca FILE']

const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  clock: [],
  'clock advance DURATION': [],
  'clock to TIME': [],
  'clock next': [],
  'script OUTCOME…': ['--domain VALUE', '--times N', '--first', '--always success|INTERNAL_ERROR|DNS_ERROR'],
  'script show': [],
  'script clear': ['--domain VALUE'],
  'attempt DOMAIN': [],
  'renew DOMAIN': [],
  'expire DOMAIN': [],
  'timeline [DOMAIN]': [
    '--state unmanaged|provisioning|failing|issued|renewing|renewal failing',
    '--skip VALUE',
    '--limit VALUE',
  ],
  dns: [],
  'dns cname NAME VALUE': [],
  'dns a NAME VALUE': [],
  'dns remove NAME': ['--type CNAME|A', '--value VALUE'],
  'dns clear': [],
  faults: [],
  'faults add': [
    ...['--operation VALUE', '--method VALUE', '--path VALUE', '--resource VALUE', '--times N', '--after N'],
    ...['--phase before|after', '--status N', '--error VALUE', '--message VALUE', '--retry-after VALUE'],
    ...['--latency VALUE', '--drop', '--truncate N', '--body JSON'],
  ],
  'faults remove ID': [],
  'faults clear': [],
  'requests clear': [],
  overview: [],
  report: [],
  declare: ['--edge VALUE', '--routes VALUE …', '--endpoint-configuration VALUE', '--backend VALUE'],
  root: [],
  reset: [],
  requests: ['--follow', '--json'],
  'state export [FILE]': [],
  'state import FILE': [],
}

/** The name of a command, of how its usage is written. */
const nameOf = (usage: string) => usage.replace(/ [[A-Z].*/, '')

describe('The help', () => {
  it('on all commands has one line or more for each, in the same order, and says how they end', async () => {
    const { stdout } = await ran({}, 'help')
    const [head, about, rows = '', more, exits] = stdout.split(/\n\n|\n(?=Exit codes)/)
    expect(head).toBe('Usage: fauxgate <command> [options]')
    expect(about).toMatch(/^An emulated tunnel gateway's management API: .*\.$/)
    const lines = rows.split('\n').filter((line) => !line.startsWith('   '))
    expect(lines.map((line) => line.slice(2).split(/ {2,}/)[0])).toEqual(['serve', 'init', ...Object.keys(CLIENTS)])
    const text = rows.replace(/\n {34}/g, ' ').replace(/ {2,}/g, '  ')
    for (const { summary } of commands) expect(text).toContain(`  ${summary}.`)
    expect(more).toMatch(/^fauxgate help <command> says more\. .*\n.*--url and --control-key there\.$/)
    expect(exits).toMatch(
      /^Exit codes: 0 done, .*; 1 it could not be done; 2 the command line, the environment or\na .*\.\n$/,
    )
  })

  it('on serve has all its flags, each with what stands for its value', async () => {
    const { usage, flags, notes } = await helpOf('serve')
    expect(usage).toBe('Usage: fauxgate serve [options]')
    expect(flags).toEqual([
      ...['--config FILE', '--port N', '--host HOST', '--tls', '--tls-root FILE', '--data FILE', '--state FILE'],
      ...[
        '--quiet',
        '--log text|json',
        '--clock system|manual',
        '--start TIME',
        '--control-key KEY',
        '--allow-host NAME …',
        '--dialect standard|ngrok',
      ],
      ...['--base-url URL', '--key KEY …', '--seed TEXT', '--initial FILE', '--references any|declared'],
      ...['--unknown-actions refuse|accept', '--empty-json-on-delete', '--keep-backends-on-patch', '--rate-limit'],
      ...['--rate-limit-requests N', '--rate-limit-window D', '--journal-size N', '--journal-bytes N'],
      ...['--addresses-per-region N', '--dns off|simulated'],
      ...['--provisioning-delay D', '--certificate-validity D', '--renewal-lead D'],
      ...['--internal-error-backoff-first D', '--internal-error-backoff-most D', '--dns-error-retry D'],
      '--authority-keys test|fresh',
    ])
    expect(notes).toHaveLength(3)
    expect(notes[0]).toMatch(/^D is a duration: .* such as 30s\. .*\n?.*--no-/s)
    expect(notes[1]).toMatch(/--base-url is\n?\s?FAUXGATE_BASE_URL/)
    expect(notes[2]).toMatch(/^SIGINT and SIGTERM stop it\./)
  })

  it('on init has its flags', async () => {
    const { usage, flags, notes } = await helpOf('init')
    expect([usage, flags, notes]).toEqual([
      'Usage: fauxgate init [options]',
      ['--runner vitest|jest|node', '--yes'],
      [],
    ])
  })

  it.each(Object.entries(CLIENTS))('on %s has what it takes, and where the server is', async (words, own) => {
    const { usage, flags } = await helpOf(nameOf(words))
    expect([usage, flags]).toEqual([`Usage: fauxgate ${words} [options]`, [...own, ...WHERE]])
  })

  it('is there for every command that asks a server', () => {
    expect(clientCommands.map(({ name }) => name)).toEqual(Object.keys(CLIENTS).map(nameOf))
  })

  it.each(commands.map(({ name }) => name))('on %s says in sentences what it and its flags do', async (name) => {
    const { summary, sentences, flags } = await helpOf(name)
    expect(summary).toMatch(/^[A-Z].{9,}[^.]\.$/)
    expect(sentences).toHaveLength(flags.length)
    for (const sentence of sentences) {
      expect(sentence).toMatch(/^[A-Z].{9,}\.$/)
      expect(sentence).not.toMatch(/Default: false/)
    }
  })

  it('has a sentence for every option, also for those that have no flag', () => {
    for (const row of Object.values(configRows)) expect(documentationOf(row).sentence).toMatch(/^[A-Z].{9,}\.$/s)
  })

  it('fills lines of 100 characters, and begins behind a long flag in the next one', () => {
    const flag = (name: string, sentence: string) =>
      ({ flag: name, kind: 'text', value: 'V', sentence, variable: 'X' }) as const
    const run = async () => 0
    const long = `${'word '.repeat(12)}ends.`
    const name = 'x'.repeat(27)
    const flags = [flag('f', long), flag(name, 'Short.'), flag(`${name}y`, 'Short.')]
    expect(helpOn({ name: 'c', words: '', summary: 'S', flags, run, notes: ['w '.repeat(51).trim()] })).toBe(
      [
        'Usage: fauxgate c [options]',
        '',
        'S.',
        '',
        `  --f V                           ${'word '.repeat(12)}ends.`,
        `  --${name} V Short.`,
        `  --${name}y V`,
        '                                  Short.',
        '',
        'w '.repeat(50).trim(),
        'w',
        '',
      ].join('\n'),
    )
    expect(helpOn({ name: 'c', words: 'W', summary: 'S', flags: [], run })).toBe('Usage: fauxgate c W\n\nS.\n')
  })
})
