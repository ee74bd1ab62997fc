import type { Arguments, Flag } from './arguments.ts'

/** A flag with what the help says of it. */
export interface DocumentedFlag extends Flag {
  /** What stands for its value; empty for a switch. */
  readonly value: string
  readonly sentence: string
  /** The variable of the environment that gives it too. */
  readonly variable?: string
}

/** One command of `fauxgate`. */
export interface Command {
  /** One word or two: `serve`, `clock advance`. */
  readonly name: string
  /** What the words behind it are, as the help writes them: `NAME VALUE`. */
  readonly words: string
  /** What it does, in one sentence. */
  readonly summary: string
  readonly flags: readonly DocumentedFlag[]
  /** Further sentences of its help. */
  readonly notes?: readonly string[]
  /** Answers the exit code. */
  readonly run: (given: Arguments, environment: NodeJS.ProcessEnv) => Promise<number>
}
