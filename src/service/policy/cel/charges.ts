import type { CompilePattern } from './pattern.ts'
import { OF_TIMESTAMP } from './time.ts'

/** Counts the steps of an evaluation. */
export interface Meter {
  /** @throws LimitProblem after the last step */
  step(count: number): void
  /** The patterns that the evaluation has compiled. */
  patterns: Set<string> | undefined
}

/** Counts the steps of a call that the size of its arguments does not tell. */
export type Charge = (meter: Meter, ...values: readonly unknown[]) => void

/** The steps to compile any pattern, and those for each instruction of its program. */
const STEPS_OF_PATTERN = 200
const STEPS_OF_INSTRUCTION = 8
/** The number of instructions that a match runs in a step. It runs the whole program for each character, at worst. */
const INSTRUCTIONS_OF_STEP = 16
const STEPS_OF_RANGE = 16
const STEPS_OF_ZONE = 200

/** Returns the charges of functions, by name. */
export function createCharges(pattern: CompilePattern): ReadonlyMap<string, Charge> {
  const matches: Charge = (meter, text, source) => {
    if (typeof text !== 'string' || typeof source !== 'string') return
    // Once per evaluation, and before it is compiled: whether an earlier evaluation compiled it decides nothing.
    meter.patterns ??= new Set()
    if (!meter.patterns.has(source)) meter.step(STEPS_OF_PATTERN + STEPS_OF_INSTRUCTION * estimateSize(source))
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

const TOKEN = /\\(?:p\{[^}]{0,40}\}|.)|\[\^?\]?(?:\\.|[^\]\\])*\]?|\{(\d{1,4})(?:(,)(\d{0,4}))?\}|./gsu

/**
 * Estimates the number of instructions of a pattern from its text: RE2 writes out what a pattern repeats. Compiling a pattern to
 * learn its size could take seconds.
 */
export function estimateSize(source: string): number {
  const groups: { size: number; last: number }[] = []
  let group = { size: 0, last: 0 }
  for (const [token, least, comma, most] of source.matchAll(TOKEN)) {
    if (token === '(') {
      groups.push(group)
      group = { size: 0, last: 0 }
    } else if (least !== undefined) {
      // Each repetition that may be missing has an instruction of its own, and so has one without an end.
      const times = Math.max(1, Number(most || least))
      const repeated = group.last * times + (comma === undefined ? 0 : 1 + times - Number(least))
      group.size += repeated - group.last
      group.last = repeated
    } else {
      const last = token === ')' ? group.size + 2 : 1
      if (token === ')') group = groups.pop() ?? group
      group.size += last
      group.last = last
    }
  }
  return [...groups, group].reduce((sum, { size }) => sum + size, 0)
}
