// Lists every name that users write, so that no release loses one unnoticed: docs/api/names.txt.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { controlCalls } from '../../src/control/controls.ts'
import { tableOf } from '../../src/gateway/table.ts'
import { ngrok } from '../../src/index.ts'
import { allCommands } from '../../src/server/commands/all.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'

const PATH = 'docs/api/names.txt'

/** Names by what has them, such as the members of an export, or the flags of a command. */
type Names = Map<string, Set<string>>

/**
 * Returns the file with the given names, and those of commands, control calls and errors. It has a line for each thing: its
 * name, and the names in it.
 * @throws Error if a name of the present file no longer exists.
 */
export function listNames(root: string, exported: readonly (readonly [string, readonly string[]])[]) {
  const current: Names = new Map([...exported, ...listOthers()].map(([name, members]) => [name, new Set(members)]))
  const lost = [...readNames(root)].flatMap(([name, members]) => {
    const now = current.get(name)
    if (!now) return [name]
    return [...members].filter((each) => !now.has(each)).map((each) => `${name} ${each}`)
  })
  if (lost.length > 0) {
    throw new Error(
      `These public names no longer exist:\n  ${lost.join('\n  ')}\n` +
        `Restore them. Or remove them from ${PATH}, and write into CHANGELOG.md what replaces them.`,
    )
  }
  const lines = [...current].map(([name, members]) => [name, ...[...members].sort()].join(' '))
  return [PATH, `${lines.sort().join('\n')}\n`] as const
}

function listOthers(): [string, string[]][] {
  return [
    ...allCommands.map(({ name, flags }): [string, string[]] => [
      `command:${name.replace(' ', '_')}`,
      flags.map(({ flag }) => `--${flag}`),
    ]),
    ...controlCalls.map(({ method, path }): [string, string[]] => [`call:${method}:${path}`, []]),
    ...[...tableOf(ngrok, ngrokFamilies).catalogue.values()].map(({ key, number, status }): [string, string[]] => [
      `error:${number}:${key}`,
      [String(status)],
    ]),
  ]
}

function readNames(root: string): Names {
  const path = join(root, PATH)
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  return new Map(
    lines.map((line) => {
      const [name = '', ...members] = line.split(' ')
      return [name, new Set(members)]
    }),
  )
}
