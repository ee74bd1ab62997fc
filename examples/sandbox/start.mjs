// Starts the sandboxes on this machine, with their state in the folder "state": `npm start`. `npm run cluster` starts one
// machine of several.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import workerd from 'workerd'

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
const env = { ...process.env, ACCOUNT_KEY: process.env.ACCOUNT_KEY ?? 'only-for-this-machine' }
const server = spawn(workerd.default, ['serve', ...process.argv.slice(2)], { env, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
server.on('exit', (code) => process.exit(code ?? 0))
console.log('Sandboxes are at http://127.0.0.1:8787/s/<name>. In another shell: npm run check')
