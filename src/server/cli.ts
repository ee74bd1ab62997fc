#!/usr/bin/env node
import { runCommand } from './commands/run.ts'
import { read } from './log/output.ts'

// Whoever reads it may have gone: `fauxgate serve | head -1`.
process.stdout.on('error', () => undefined)
const args = process.argv.slice(2)
process.exitCode = await runCommand(args)
// What nobody reads of a log would keep the process.
if (args[0] === 'serve') {
  await read(process.stdout)
  process.exit()
}
