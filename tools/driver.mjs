// Starts a program that answers each line of JSON by one, such as a client in another language.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Starts a program. Returns functions that send it a line and return its response, and that end it. */
export function startDriver([program, ...args], env = process.env) {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async send(line) {
      child.stdin.write(`${JSON.stringify(line)}\n`)
      const { done, value } = await lines.next()
      if (done) throw new Error(`The program ended at ${JSON.stringify(line)}.`)
      return JSON.parse(value)
    },
    end: () => child.stdin.end(),
  }
}
