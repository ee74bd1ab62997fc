import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundle } from './bundle.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the command, bundled from the present sources. */
    command: string
  }
}

/** Bundles the command for the tests that start it, so that no test starts an older build. */
export default async function setup({ provide }: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-command-'))
  const outfile = join(folder, 'cli.mjs')
  await bundle("import './src/server/cli.ts'", outfile)
  provide('command', outfile)
  return () => rmSync(folder, { recursive: true, force: true })
}
