import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Snapshot } from '../control/snapshot.ts'
import type { Gateway } from '../gateway.ts'
import { jsonProblem } from '../http/json-problem.ts'

/**
 * Restores a gateway from a snapshot in a file; a file that does not exist leaves it as it is.
 * @throws Error when the file cannot be read or holds no snapshot.
 */
export async function importState(gateway: Gateway, file: string): Promise<void> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const snapshot = parsed(file, text)
  try {
    gateway.restore(snapshot)
  } catch (error) {
    throw new Error(`The state file ${file} holds no snapshot: ${(error as Error).message}`, { cause: error })
  }
}

function parsed(file: string, text: string): Snapshot {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message repeats a piece of the text, which may hold a secret.
    throw new Error(`The state file ${file} is not JSON: ${jsonProblem(text)}.`)
  }
}

/** Writes a gateway's snapshot to a file, readable by its owner only; a reader sees the old file or the whole new one. */
export async function exportState(gateway: Gateway, file: string): Promise<void> {
  const part = `${file}.${process.pid}.part`
  await writeFile(part, `${JSON.stringify(gateway.snapshot())}\n`, { mode: 0o600 })
  await rename(part, file)
}
