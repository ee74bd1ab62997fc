import { createInterface } from 'node:readline/promises'
import type { styleText } from 'node:util'
import { escapeUnprintable } from '../core/schema/text.ts'
import { fileProblem } from './files.ts'

// All output of the command goes through this file or the log's output. Both escape strings, so callers pass them verbatim.

export type Style = Parameters<typeof styleText>[0]

/** Colors a string for a terminal, or returns it unchanged. */
export type Painter = (style: Style, text: string) => string

/** The parts of a line: plain strings, and strings with a style. */
export type Line = readonly (string | readonly [Style, string])[]

/** Returns a line for a terminal. Control characters in the parts are escaped, so that only the line's own styles control the terminal. */
export function renderLine(line: Line, paint: Painter): string {
  const parts = line.map((part) => {
    return typeof part === 'string' ? escapeUnprintable(part) : paint(part[0], escapeUnprintable(part[1]))
  })
  return `${parts.join(' ').trimEnd()}\n`
}

/** Prints a line with styles. */
export function printStyled(line: Line, paint: Painter): void {
  process.stdout.write(renderLine(line, paint))
}

/** Prints a string. Returns the exit code 0, for commands that end with it. */
export function print(text: string): number {
  process.stdout.write(escapeUnprintable(text))
  return 0
}

/** Prints a string with colors and tabs. */
export function printPainted(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with a control character
  const parts = text.split(/(\u001b\[\d+m|\t)/)
  process.stdout.write(parts.map((part, index) => (index % 2 === 0 ? escapeUnprintable(part) : part)).join(''))
}

export function printLine(line: string): void {
  print(`${line}\n`)
}

/** Prints a string to standard error, such as a child process's output. */
export function printError(text: string): void {
  process.stderr.write(escapeUnprintable(text))
}

/** Prints a line to standard error. */
export function printErrorLine(text: string): void {
  process.stderr.write(`fauxgate: ${escapeUnprintable(text)}\n`)
}

/**
 * Handles an error on standard output: prints it once, and changes the exit code from 0 to 1. A reader that has exited, as in `fauxgate
 * serve | head -1`, is not a failure.
 */
export function reportOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'EOF') return
  process.stdout.off('error', reportOutputError).on('error', () => undefined)
  printErrorLine(`the output cannot be written: ${fileProblem(error)}.`)
  process.once('exit', (code) => {
    process.exitCode = code || 1
  })
}

/** Replaces the current line of the terminal with a string, truncated to the terminal's width. Does nothing without a terminal. */
export function showProgress(text: string): void {
  const { stderr } = process
  const shown = escapeUnprintable(text).slice(0, (stderr.columns || 80) - 1)
  if (stderr.isTTY) stderr.write(`\r\x1b[K${shown}`)
}

/** Starts a new line after the characters that a terminal shows for a signal, such as `^C`. */
export function breakLine(): void {
  process.stderr.write('\n')
}

export function warn(text: string): void {
  printErrorLine(`warning: ${text}`)
}

/** Quotes a word for a shell if the word needs quotes: with double quotes, because cmd.exe supports no others. */
export function quoteForShell(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `"${word.replace(/["$\\`]/g, String.raw`\$&`)}"`
}

/** Asks a question at the terminal. */
export async function askAtTerminal(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output })
  try {
    return (await lines.question(escapeUnprintable(question))).trim()
  } finally {
    lines.close()
  }
}
