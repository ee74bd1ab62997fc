/** The test runners that `fauxgate init` knows, in the order in which it looks for them. */
export const RUNNERS = ['vitest', 'jest', 'playwright', 'bun', 'deno', 'node'] as const

export type Runner = (typeof RUNNERS)[number]

/** The facts of a project that decide how its first test is written. */
export interface ProjectFacts {
  /** True if package.json says `"type": "module"`. */
  readonly isModule: boolean
  /** True if there is a tsconfig.json. */
  readonly isTyped: boolean
  /** True if package.json names ts-jest. */
  readonly hasTsJest: boolean
}

export const INITIAL = 'fauxgate.initial.json'

/** The time from a policy to the certificate, of the served gateway and of the first test. */
export const DELAY = '5s'

/** Tells whether Jest gets a file of ECMAScript modules. */
export function isJestModule({ isModule, hasTsJest }: ProjectFacts): boolean {
  return isModule && !hasTsJest
}
