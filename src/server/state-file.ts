import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Snapshot } from '../control/state/snapshot.ts'
import type { Gateway } from '../gateway.ts'
import { GatewayError } from '../gateway-error.ts'
import { jsonProblem } from '../http/json-problem.ts'

/**
 * Restores a gateway from a snapshot in a file; a file that does not exist leaves it as it is.
 * @throws Error when the file cannot be read or holds no snapshot: it says where in the file, and repeats nothing of it
 * that may be secret.
 */
export async function importState(gateway: Gateway, file: string): Promise<void> {
  const text = await textOf(file)
  if (text === undefined) return
  const snapshot = parsed(text, file)
  try {
    gateway.restore(snapshot)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { message, details } = error
    throw new Error(`The state file ${file} holds no snapshot: ${message}${furtherProblems(details)}`, { cause: error })
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Error(`The state file ${file} cannot be read: ${message}`, { cause: error })
  }
}

function parsed(text: string, file: string): Snapshot {
  try {
    return JSON.parse(text) as Snapshot
  } catch {
    // Without the parser's own error, which repeats a piece of the text.
    throw new Error(`The state file ${file} is not JSON: ${jsonProblem(text)}.`)
  }
}

/** How many problems there are beside the one of the message. */
function furtherProblems({ further_problems: counted = '0', ...details }: GatewayError['details']): string {
  const named = Object.keys(details).length - 1
  const further = named + Number.parseInt(counted, 10)
  const atLeast = counted.endsWith('more') ? 'at least ' : ''
  return further > 0 ? ` There are ${atLeast}${further} more problems.` : ''
}

/** Writes a gateway's snapshot to a file, readable by its owner only; a reader sees the old file or the whole new one. */
export async function exportState(gateway: Gateway, file: string): Promise<void> {
  const part = `${file}.${process.pid}.part`
  try {
    await writeFile(part, `${JSON.stringify(gateway.snapshot())}\n`, { mode: 0o600 })
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
