#!/usr/bin/env node
import module from 'node:module'

// Node 22.8 and newer remember what they compiled, which is most of the time that a short command takes.
// The types of Node 20 lack this function: a cast.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown }
enableCompileCache?.()
const { runCommand } = await import('./commands/run.ts')
const { drain } = await import('./log/output.ts')

// The reader of the output may have ended, as in `fauxgate serve | head -1`.
process.stdout.on('error', () => undefined)
const args = process.argv.slice(2)
process.exitCode = await runCommand(args)
// A log that nobody reads would keep the process alive.
if (args[0] === 'serve' || args[0] === 'http') {
  await drain(process.stdout)
  process.exit()
}
