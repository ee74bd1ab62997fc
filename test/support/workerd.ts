import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FAKE = `#!${process.execPath}
import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
const [, host, port] = /http=(.*):(\\d+)/.exec(process.argv[4])
if (process.env.ENDS === 'early') process.exit(4)
if (process.env.ENDS === 'late') process.on('SIGTERM', () => {})
const server = createServer(({ url }, response) => {
  if (url === '/crash') process.exit(3)
  if (url === '/killed') process.kill(process.pid, 'SIGKILL')
  const problem = process.env.MOST_RECORDS
  response.statusCode = problem ? 500 : 200
  response.end(JSON.stringify(problem ? { msg: 'MOST_RECORDS is wrong.' } : { folder: process.argv[5], key: process.env.ACCOUNT_KEY }))
})
server.listen(port, host, () => {
  writeSync(3, JSON.stringify({ event: 'listen', socket: 'http', port: server.address().port }) + '\\n')
})
`

/** Installs a fake of workerd in a folder. It listens, and responds with its arguments. */
export function installFakeWorkerd(folder: string, main = "exports.default = __dirname + '/fake.mjs'"): void {
  const at = join(folder, 'node_modules/workerd')
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'index.js'), main)
  writeFileSync(join(at, 'fake.mjs'), FAKE, { mode: 0o755 })
}
