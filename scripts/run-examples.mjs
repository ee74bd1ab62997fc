// Runs every example and fails with the first one that fails.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../examples/', import.meta.url)
for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.mjs'))) {
  console.log(`-- ${name}`)
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(name, folder))], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
