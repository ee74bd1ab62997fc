// Starts the sandboxes on a free port, runs the check against them, and stops them: `npm test`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const data = mkdtempSync(join(tmpdir(), 'fauxgate-sandboxes-'))
const env = { ...process.env, ACCOUNT_KEY: 'only-for-this-test' }
const command = ['node_modules/fauxgate/dist/cli.js', 'sandbox', '--port', '0', '--data', data]
const server = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
const [firstLine] = await once(createInterface({ input: server.stdout }), 'line')

const SANDBOXES_URL = firstLine.split(' ').at(-1)
const check = spawn(process.execPath, ['check.mjs'], { stdio: 'inherit', env: { ...env, SANDBOXES_URL } })
const [code] = await once(check, 'exit')
server.kill()
await once(server, 'exit')
rmSync(data, { recursive: true })
process.exit(code ?? 1)
