import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a program while a server of this process responds to it. Returns its output. Throws with it if the program fails. */
export async function runAsync(command, args, options = {}) {
  try {
    const { stdout } = await execute(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26, ...options })
    return stdout
  } catch ({ message, stdout, stderr }) {
    throw new Error(`${message}\n${stdout}${stderr}`)
  }
}
