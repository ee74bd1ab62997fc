import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allCommands as commands } from '../../src/server/commands/all.ts'
import { readArguments } from '../../src/server/commands/command.ts'
import { parseOptions } from '../../src/server/options/parsed-options.ts'

const root = new URL('../../', import.meta.url)

const guide = readFileSync(new URL('docs/command.md', root), 'utf8')

test('The command accepts every command line of the guide', () => {
  const lines = [...guide.matchAll(/^(?:npx )?fauxgate (?!\()(.+?)(?: +#.*)?$/gm)].map(([, line = '']) =>
    line.split(' '),
  )
  expect(lines.length).toBeGreaterThan(7)
  for (const words of lines) {
    const findCommand = (name: string) => commands.find((each) => each.name === name)
    const command = findCommand(words.slice(0, 2).join(' ')) ?? findCommand(words[0] ?? '')
    const rest = words.slice(command?.name.split(' ').length)
    expect(() => readArguments(rest, command?.flags ?? [], words.join(' '))).not.toThrow()
  }
})

test('The command accepts the config file of the guide', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? []
  const parsed = parseOptions({ flags: new Map(), words: [] }, {}, { file: '/c.json', config: JSON.parse(json) })
  expect(Object.keys(parsed.config)).toEqual(Object.keys(JSON.parse(json)))
})
