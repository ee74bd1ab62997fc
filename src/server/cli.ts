#!/usr/bin/env node
import module from 'node:module'

// The modules below use syntax that older versions cannot parse.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `fauxgate needs Node 20.19 or newer. This is Node ${process.versions.node}. Install a newer version from nodejs.org.`,
  )
  process.exit(1)
}

// Node 22.8 and newer cache compiled code. Compiling takes most of the time of a short command. The types of Node 20 lack this function,
// hence the cast.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown }
enableCompileCache?.()
const { runCommand } = await import('./commands/run.ts')
const { drain } = await import('./log/output.ts')
const { reportOutputError } = await import('./terminal.ts')

process.stdout.on('error', reportOutputError)
const args = process.argv.slice(2)
process.exitCode = await runCommand(args)
// A log that nobody reads would keep the process alive.
if (args[0] === 'serve' || args[0] === 'http') {
  await drain(process.stdout)
  process.exit()
}
