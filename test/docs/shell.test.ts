import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { ownPort } from '../../scripts/own-port.mjs'
import { installFakeWorkerd } from '../support/workerd.ts'
import { type Block, listBlocks } from './blocks.ts'

const command = inject('command')

/** Programs that download, need a daemon, or prepare a download. In this test they do nothing. */
const LEFT_OUT = ['npm', 'bun', 'deno', 'docker', 'go', 'python3', 'pip', '.venv/bin/pip', 'terraform']

let folder: string
let port: number
let agentPort: number
let children: ChildProcess[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fauxgate-shell-'))
  children = []
  mkdirSync(join(folder, 'bin/.venv/bin'), { recursive: true })
  const writeProgram = (name: string, line: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  writeProgram('fauxgate', `exec "${process.execPath}" "${command}" "$@"`)
  // Other commands are those of test runners, which tools/checks/examples.mjs runs.
  writeProgram('npx', '[ "$1" = fauxgate ] && exec "$@"; exit 0')
  writeProgram('node', `[ "$1" = --test ] && exit 0; exec "${process.execPath}" "$@"`)
  for (const name of LEFT_OUT) writeProgram(name, 'exit 0')
  installFakeWorkerd(folder)
  port = await ownPort()
  agentPort = await ownPort()
})

afterEach(async () => {
  for (const child of children.filter(({ exitCode }) => exitCode === null)) {
    child.kill()
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Returns the arguments of bash for a line. It runs in the folder, with the programs first on PATH, on a free port. */
function prepareShell(line: string) {
  const { HOME, PATH } = process.env
  const env = {
    HOME,
    PATH: `${join(folder, 'bin')}:${PATH}`,
    NO_PROXY: '*',
    FAUXGATE_PORT: String(port),
    FAUXGATE_URL: `http://127.0.0.1:${port}`,
  }
  const script = line
    .replaceAll('4747', String(port))
    .replaceAll('4040', String(agentPort))
    .replaceAll('.venv/', 'bin/.venv/')
  // Bash reads ~/.bashrc where its input is a socket, which Node's pipes are: it would be slow, and change PATH.
  return [['--norc', '-e', '-o', 'pipefail', '-c', script], { cwd: folder, env }] as const
}

/** Starts a command that does not end by itself. If it is a server, waits for its first output. */
async function startLine(line: string): Promise<void> {
  const [args, options] = prepareShell(`exec ${line.replace(/^npx /, '')}`)
  const child = spawn('bash', args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  if (!/serve|sandbox/.test(line)) return void (await once(child, 'spawn'))
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`It ended: ${line}`)))
  await Promise.race([once(child.stdout, 'data'), failed])
  failed.catch(() => undefined)
}

function run(line: string): void {
  const [args, options] = prepareShell(line)
  const { status, stdout, stderr } = spawnSync('bash', args, { ...options, encoding: 'utf8' })
  if (status !== 0) throw new Error(`It ended with ${status}: ${line}\n${stdout}${stderr}`)
}

/** Runs a block line by line. A fragment runs beside a server with a domain, on a manual clock. */
async function runBlock({ code, isFragment }: Block): Promise<void> {
  if (isFragment) {
    const policy = { authority: 'letsencrypt' }
    const reservedDomains = [{ domain: 'app.example.com', certificate_management_policy: policy }]
    writeFileSync(join(folder, 'initial.json'), JSON.stringify({ reservedDomains }))
    await startLine('fauxgate serve --clock manual --initial initial.json')
  }
  const joined = code.replace(/\\\n */g, '')
  for (const line of joined.split('\n').map((each) => each.replace(/(?:^|\s+)# .*$/, ''))) {
    if (/fauxgate serve|fauxgate sandbox\s*$|--follow/.test(line)) await startLine(line)
    else if (line !== '') run(line)
  }
}

describe('The commands in', () => {
  const blocks = listBlocks('sh')

  test.each(blocks)('$document run from line $line on', async (block) => {
    await runBlock(block)
    for (const { exitCode } of children) expect(exitCode).toBeNull()
  })

  test('README.md and the guides are found', () => {
    expect(blocks.map(({ document }) => document)).toContain('README.md')
  })
})
