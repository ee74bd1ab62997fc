import type { TestProject } from 'vitest/node'
import { REQUIREMENTS } from './requirements.ts'

const THOROUGH =
  'The slow tests did not run: "npx vitest run" adds them. ".ci/run" also tests pages, sandboxes, the package, and other versions of Node.'

/**
 * Prints at the end of a run, after every reporter, how many tests were left out and what is missing, and last whether the project of
 * slow tests did not run.
 */
export default function setup({ vitest }: TestProject) {
  return () => {
    const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests('skipped')])
    const sentences = Object.entries(REQUIREMENTS).flatMap(([missing, why]) => {
      const count = tests.filter(({ fullName }) => fullName.includes(missing)).length
      return count === 0 ? [] : [`${count} ${count === 1 ? 'test was' : 'tests were'} left out because ${why}`]
    })
    const line = sentences.join(' ')
    if (line) console.warn(`\n${'!'.repeat(line.length)}\n${line}\n${'!'.repeat(line.length)}`)
    if (!vitest.projects.some(({ name }) => name === 'thorough')) console.log(`\n${THOROUGH}`)
  }
}
