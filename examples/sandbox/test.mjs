// Starts the sandboxes on a free port, runs the check against them, and stops them: `npm test`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'

const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address()
probe.close()

const started = ['start.mjs', 'workerd.capnp', `--socket-addr=http=127.0.0.1:${port}`]
const server = spawn(process.execPath, started, { stdio: 'inherit' })
const SANDBOXES_URL = `http://127.0.0.1:${port}`
const isThere = () => fetch(SANDBOXES_URL).then(Boolean, () => false)
while (server.exitCode === null && !(await isThere())) await new Promise((resolve) => setTimeout(resolve, 50))

const check = spawn(process.execPath, ['check.mjs'], { stdio: 'inherit', env: { ...process.env, SANDBOXES_URL } })
const [code] = await once(check, 'exit')
server.kill()
await once(server, 'exit')
process.exit(code ?? 1)
