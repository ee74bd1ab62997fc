// Starts the sandboxes on this machine, with their state in the folder "state": `npm start`. `npm run cluster` starts one
// machine of several.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import workerd from 'workerd'
import { removeEmptied } from './emptied.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
process.chdir(folder)
await build({
  entryPoints: ['worker.js'],
  outfile: 'worker.bundle.js',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  external: ['cloudflare:workers'],
})
for (const folder of ['state', 'cluster-state']) mkdirSync(folder, { recursive: true })
const emptied = removeEmptied('state/fauxgate-sandbox')
if (emptied > 0) console.log(`Removed ${emptied} empty files of sandboxes that are no more.`)
const env = { ...process.env, ACCOUNT_KEY: process.env.ACCOUNT_KEY ?? 'only-for-this-machine' }
const server = spawn(workerd.default, ['serve', ...process.argv.slice(2), '--control-fd=3'], {
  env,
  stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
})
server.stdio[3].on('data', (lines) => {
  for (const line of String(lines).trim().split('\n')) {
    const { socket, port } = JSON.parse(line)
    if (socket === 'http')
      console.log(`Sandboxes are at http://127.0.0.1:${port}/s/<name>. In another shell: npm run check`)
  }
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
server.on('exit', (code) => process.exit(code ?? 0))
