// Builds dist: `npm run build`. The declarations and the code are made side by side, which takes two thirds of the time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './shared.mjs'

/** Runs programs for Node one after the other. Throws if one fails. */
async function runInTurn(...programs) {
  for (const program of programs) {
    const child = spawn(process.execPath, program.split(' '), { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`"node ${program}" failed.`)
  }
}

rmSync(join(root, 'dist'), { recursive: true, force: true })
await runInTurn('scripts/generate.mjs types')
await Promise.all([
  runInTurn(
    'node_modules/typescript-7/bin/tsc -p scripts/build/tsconfig.types.json',
    'node_modules/tsup/dist/cli-default.js --config scripts/build/tsup.config.ts',
  ),
  runInTurn(
    'scripts/build/bundle.mjs',
    'scripts/build/openapi-files.mjs',
    'scripts/build/inspector.mjs',
    'scripts/build/workerd-config.mjs',
  ),
])
// The declarations are indented with tabs, which takes 22 KB less of the package.
const dist = join(root, 'dist')
for (const name of readdirSync(dist).filter((each) => each.endsWith('.d.cts'))) {
  const indented = readFileSync(join(dist, name), 'utf8').replace(/^(?: {4})+/gm, (indent) =>
    '\t'.repeat(indent.length / 4),
  )
  writeFileSync(join(dist, name), indented)
}
// Last, since scripts/setup.mjs takes its time for that of the build.
await runInTurn('scripts/build/third-party-licenses.mjs')
