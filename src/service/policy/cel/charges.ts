import { sizeOfPattern } from '../pattern.ts'
import type { Replacer } from '../visit.ts'
import { Steps } from './limits.ts'
import type { CompilePattern } from './pattern.ts'
import { OF_TIMESTAMP } from './time.ts'
import { PatternProblem } from './values.ts'

/** Counts the steps of an evaluation. */
export interface Meter {
  /** @throws LimitProblem if the maximum is exceeded */
  step(count: number): void
  /** The patterns that the evaluation has compiled. */
  patterns: Set<string> | undefined
}

/** Counts the steps of a call whose cost depends not only on the size of its arguments. */
export type Charge = (meter: Meter, ...values: readonly unknown[]) => void

/** The steps to compile any pattern, and the steps for each instruction of its program. */
const STEPS_OF_PATTERN = 200
const STEPS_OF_INSTRUCTION = 8
/** The number of instructions that a match runs per step. At worst, it runs the whole program for each character. */
const INSTRUCTIONS_OF_STEP = 16
const STEPS_OF_RANGE = 16
const STEPS_OF_ZONE = 200

/** Returns the steps to compile a pattern. Compiling it to learn its size could take seconds. @throws PatternProblem */
function stepsToCompile(source: string): number {
  const size = sizeOfPattern(source)
  if (size === undefined) throw new PatternProblem('the pattern is not valid RE2')
  return STEPS_OF_PATTERN + STEPS_OF_INSTRUCTION * size
}

/**
 * Returns the pattern for text that comes from a request. Its steps are limited, because it may match at each character and scan the rest
 * of the text each time.
 */
export function limitPattern(source: string, pattern: CompilePattern): Replacer {
  return {
    replaceAll(text, to) {
      const steps = new Steps()
      steps.step(stepsToCompile(source))
      const compiled = pattern(source)
      const onRead = (characters: number) => steps.step((characters * compiled.size) / INSTRUCTIONS_OF_STEP)
      return compiled.replaceAll(text, to, onRead)
    },
  }
}

/** Returns the charges of functions, by name. */
export function createCharges(pattern: CompilePattern): ReadonlyMap<string, Charge> {
  const matches: Charge = (meter, text, source) => {
    if (typeof text !== 'string' || typeof source !== 'string') return
    // Once per evaluation, and before it is compiled: whether an earlier evaluation compiled it decides nothing.
    meter.patterns ??= new Set()
    if (!meter.patterns.has(source)) meter.step(stepsToCompile(source))
    meter.patterns.add(source)
    meter.step(Math.trunc((text.length * pattern(source).size) / INSTRUCTIONS_OF_STEP))
  }
  const zone: Charge = (meter, _time, name) => {
    if (typeof name === 'string' && !/^(?:UTC|[+-]?\d\d?:\d\d)$/.test(name)) meter.step(STEPS_OF_ZONE)
  }
  const ranges: Charge = (meter, _address, list) => meter.step(STEPS_OF_RANGE * (Array.isArray(list) ? list.length : 1))
  const zoned = Object.keys(OF_TIMESTAMP).map((name) => [name, zone] as const)
  return new Map([...zoned, ['matches', matches], ['inCidrRange', ranges], ['inCidrRanges', ranges]])
}
