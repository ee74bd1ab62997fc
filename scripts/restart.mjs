// The official clients across a restart: each is in the middle of its work, a list half read, when `fauxgate serve --data` is
// killed and started again, and goes on. `node scripts/restart.mjs`; needs a build, and a Node with SQLite: its own, or
// the one of npm's package node. A client whose language is not here is left out, loudly.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nodeOf } from './nodes.mjs'
import { officialClients } from './official-clients.mjs'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const node = process.getBuiltinModule?.('node:sqlite') ? process.execPath : nodeOf('22').path
const folder = mkdtempSync(join(tmpdir(), 'fauxgate-restart-'))
const children = new Set()

/** Starts a process, of which each line is read as it comes. Rejects a read where it ends before. */
function started(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options })
  children.add(child)
  const ended = once(child, 'close').then(([code, signal]) => {
    children.delete(child)
    return code ?? signal
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return { child, ended, line: async () => (await lines.next()).value }
}

const options = ['--dialect', 'ngrok', '--empty-json-on-delete', '--quiet', '--data', join(folder, 'gateway.db')]

async function served(port) {
  const args = ['--no-warnings', path('../dist/cli.js'), 'serve', '--port', String(port), ...options]
  const server = started(node, args)
  const [url] = /http:\S+/.exec((await server.line()) ?? '') ?? []
  if (!url) throw new Error('fauxgate did not start.')
  return { ...server, url }
}

try {
  const commands = officialClients(path('restart'), folder)
  const first = await served(0)
  const env = { ...process.env, NO_PROXY: '*', PYTHONDONTWRITEBYTECODE: '1' }
  const begun = commands.map(([name, [command, args]]) => [name, started(command, [...args, first.url], { env })])
  for (const [name, { line }] of begun) {
    if ((await line()) !== 'middle') throw new Error(`The ${name} client did not come to the middle.`)
  }
  first.child.kill('SIGKILL')
  await first.ended
  const second = await served(new URL(first.url).port)
  for (const [name, { child, line, ended }] of begun) {
    child.stdin.end('on\n')
    if ((await line()) !== 'end') throw new Error(`The ${name} client did not go on after the restart.`)
    await ended
    console.log(`The ${name} client went on after kill -9 and a restart.`)
  }
  second.child.kill('SIGTERM')
  if ((await second.ended) !== 0) throw new Error('fauxgate did not end as it should.')
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
