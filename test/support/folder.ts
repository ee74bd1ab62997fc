import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder that is deleted at the end of the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file that is deleted at the end of the test, and returns its path. */
export function newFile(name: string, text: string): string {
  const file = join(newFolder(), name)
  writeFileSync(file, text)
  return file
}

/** Changes the working directory to a new folder until the end of the test. */
export function enterNewFolder(): string {
  const home = process.cwd()
  const folder = newFolder()
  process.chdir(folder)
  onTestFinished(() => process.chdir(home))
  return folder
}
