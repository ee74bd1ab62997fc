#!/usr/bin/env node
import { runCommand } from './commands/run.ts'

// Whoever reads it may have gone: `fauxgate serve | head -1`.
process.stdout.on('error', () => undefined)
process.exitCode = await runCommand(process.argv.slice(2))
