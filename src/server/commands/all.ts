import { clientCommands } from '../client/commands.ts'
import { policyCheckCommand } from '../policy/policy-check.ts'
import { policyTestCommand } from '../policy/policy-test.ts'
import type { Command } from './command.ts'
import { completionCommand } from './completion.ts'
import { httpCommand } from './http.ts'
import { init } from './init.ts'
import { migrateCommand } from './migrate.ts'
import { recordCommand } from './record.ts'
import { replayCommand } from './replay.ts'
import { sandboxCommand } from './sandbox.ts'
import { sandboxInit } from './sandbox-init.ts'
import { serveCommand } from './serve.ts'
import { survivesCommand } from './survives.ts'
import { verifyCommand } from './verify.ts'

/** All commands, in the order of the help. */
export const allCommands: readonly Command[] = [
  serveCommand,
  httpCommand,
  migrateCommand,
  verifyCommand,
  recordCommand,
  replayCommand,
  policyCheckCommand,
  policyTestCommand,
  survivesCommand,
  sandboxCommand,
  sandboxInit,
  completionCommand(() => allCommands),
  init,
  ...clientCommands,
]
