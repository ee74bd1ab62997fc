import { createInterface } from 'node:readline/promises'

/** Prints a text. Returns the exit code 0, for commands that end with this text. */
export function print(text: string): number {
  process.stdout.write(text)
  return 0
}

export function printLine(line: string): void {
  print(`${line}\n`)
}

/** Prints a line to the standard error. */
export function printError(text: string): void {
  process.stderr.write(`fauxgate: ${text}\n`)
}

export function warn(text: string): void {
  printError(`warning: ${text}`)
}

/** Asks a question at the terminal. */
export async function askAtTerminal(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output })
  try {
    return (await lines.question(question)).trim()
  } finally {
    lines.close()
  }
}
