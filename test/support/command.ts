import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, dirname, join } from 'node:path'
import { expect, inject, onTestFinished, vi } from 'vitest'
import { runCommand } from '../../src/server/commands/run.ts'
import { waitUntil } from './wire.ts'

const command = inject('command')

/** Returns the environment without variables for the command, such as the seed of the properties. */
function environmentOfTests(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(FAUXGATE_|NO_COLOR|FORCE_COLOR)/.test(name))
  // Commands find only the servers of this test file.
  const servers = join(dirname(command), `servers-${process.pid}-${basename(expect.getState().testPath ?? '')}`)
  return { ...Object.fromEntries(own), XDG_RUNTIME_DIR: servers }
}

/** Starts the command in its own process, which ends with the test. */
export function startProcess(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const env = { ...environmentOfTests(), ...environment }
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
  const exited = once(child, 'close').then(([code]) => code as number)
  // The commands of the next test would find a server that still runs.
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  return { child, output, exited }
}

/**
 * Starts the command in this process, and resolves once it has ended or printed a text. `url` is the first one that it
 * printed. `stop` ends it by a signal.
 */
export async function startCommand(environment: NodeJS.ProcessEnv, args: readonly string[], text = 'listens on') {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      output[name] += text
      return true
    })
  }
  onTestFinished(() => void vi.restoreAllMocks())
  let isOver = false
  const exited = runCommand(args, { ...environmentOfTests(), ...environment }).finally(() => {
    isOver = true
  })
  await waitUntil(() => isOver || output.stdout.includes(text))
  const url = LISTENS.exec(output.stdout)?.[0] ?? ''
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!isOver) process.emit(signal)
    return exited
  }
  return { output, url, stop }
}

const LISTENS = /https?:[^\s",]+/

/** Runs the command in this process to its end. A command that listens is stopped by a signal. */
export async function runToEnd(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const { output, stop } = await startCommand(environment, args)
  const code = await stop()
  vi.restoreAllMocks()
  return { code, ...output }
}

/** Starts `fauxgate serve` in this process, at any port. A signal ends it, at the latest at the end of the test. */
export async function startServer(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const server = await startCommand(environment, ['serve', '--port', '0', ...args])
  onTestFinished(async () => void (await server.stop()))
  return server
}

/** Starts the command in its own process, and waits until it prints its URL. */
export async function startServerProcess(...args: string[]) {
  const { child, output, exited } = startProcess({}, ...args)
  const ended = exited.then((code) => {
    throw new Error(`The command ended with ${code} before it said where it listens: ${output.stderr}`)
  })
  while (!output.stdout.includes('\n')) await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended])
  const url = LISTENS.exec(output.stdout)?.[0] ?? ''
  return { child, output, exited, url }
}
