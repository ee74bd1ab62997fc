#!/usr/bin/env node
import { runCommand } from './commands/run.ts'
import { drain } from './log/output.ts'

// The reader of the output may have ended, as in `fauxgate serve | head -1`.
process.stdout.on('error', () => undefined)
const args = process.argv.slice(2)
process.exitCode = await runCommand(args)
// A log that nobody reads would keep the process alive.
if (args[0] === 'serve') {
  await drain(process.stdout)
  process.exit()
}
