import { nearest } from '../../core/schema/nearest.ts'
import type { Command } from './command.ts'

/** The commands that people mean by words of other programs. */
const MEANT: Readonly<Record<string, string>> = {
  start: 'serve',
  run: 'serve',
  up: 'serve',
  server: 'serve',
  severe: 'serve',
  status: 'overview',
  list: 'overview',
  ls: 'overview',
  show: 'overview',
  logs: 'requests',
  log: 'requests',
  journal: 'requests',
  time: 'clock',
  now: 'clock',
  'clock now': 'clock',
  'clock show': 'clock',
  'clock get': 'clock',
  'clock set': 'clock to',
  'faults list': 'faults',
  'snapshots list': 'snapshots',
  'requests list': 'requests',
  'dns list': 'dns',
  'dns set': 'dns cname',
}

/**
 * Returns the command that an unknown one means, if that is clear: `snapshots take` of `snapshot take`, `clock advance` of
 * `advance`, `overview` of `status`.
 */
export function findMeant(first: string, second: string, commands: readonly Command[]): string | undefined {
  const names = commands.map(({ name }) => name)
  const known = MEANT[`${first} ${second}`] ?? MEANT[first]
  if (known !== undefined) return known
  const firsts = new Set(names.map((name) => name.split(' ')[0] ?? ''))
  const near = firsts.has(first) ? undefined : nearest(first, firsts)
  if (near !== undefined) return names.includes(`${near} ${second}`) ? `${near} ${second}` : near
  const [only, ...others] = names.filter((name) => name.endsWith(` ${first}`))
  return others.length === 0 ? only : undefined
}
