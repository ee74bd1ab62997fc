import type { TestProject } from 'vitest/node'
import { REQUIREMENTS } from './requirements.ts'

/** Prints at the end of a run, after every reporter, how many tests were left out, and what is missing. */
export default function setup({ vitest }: TestProject) {
  return () => {
    const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests('skipped')])
    const sentences = Object.entries(REQUIREMENTS).flatMap(([missing, why]) => {
      const count = tests.filter(({ fullName }) => fullName.includes(missing)).length
      return count === 0 ? [] : [`${count} ${count === 1 ? 'test was' : 'tests were'} left out because ${why}`]
    })
    if (sentences.length === 0) return
    const line = sentences.join(' ')
    console.warn(`\n${'!'.repeat(line.length)}\n${line}\n${'!'.repeat(line.length)}`)
  }
}
