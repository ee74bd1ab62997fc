// Builds what is not built, and runs a check with its options: `npm run check -- package`. The checks are the programs in
// tools/checks and those in OTHERS.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/shared.mjs'

/** The checks that have folders of their own in tools/. */
const OTHERS = ['agent-programs', 'clients', 'endurance', 'fuzz', 'mutants', 'survives']

const names = readdirSync(join(root, 'tools/checks')).flatMap((file) => /^(.+)\.mjs$/.exec(file)?.[1] ?? [])
const programs = {
  ...Object.fromEntries(names.map((name) => [name, `tools/checks/${name}.mjs`])),
  ...Object.fromEntries(OTHERS.map((name) => [name, `tools/${name}.mjs`])),
}

const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1

const [name, ...options] = process.argv.slice(2)
const program = programs[name]
if (program) process.exitCode = run('scripts/setup.mjs', '--build') || run(program, ...options)
else {
  const what = name === undefined ? 'A check needs a name' : `"${name}" is not a check`
  console.error(`${what}: npm run check -- NAME. The names are ${Object.keys(programs).sort().join(', ')}.`)
  process.exitCode = 1
}
