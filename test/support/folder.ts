import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Makes a folder that goes at the end of the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file into a folder that goes at the end of the test, and returns its path. */
export function newFile(name: string, text: string): string {
  const file = join(newFolder(), name)
  writeFileSync(file, text)
  return file
}

/** Makes the present folder a new one until the end of the test. */
export function enterNewFolder(): string {
  const home = process.cwd()
  const folder = newFolder()
  process.chdir(folder)
  onTestFinished(() => process.chdir(home))
  return folder
}
