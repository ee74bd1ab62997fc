import type { TestProject } from 'vitest/node'

/** What the names of tests say that openssl's absence has left out. */
const MISSING = 'openssl is missing'

/** Says at the very end of a run, after every reporter, how many tests the missing openssl command has cost. */
export default function setup({ vitest }: TestProject) {
  return () => {
    const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests('skipped')])
    const count = tests.filter(({ fullName }) => fullName.includes(MISSING)).length
    if (count === 0) return
    const line = `${count} ${count === 1 ? 'test was' : 'tests were'} left out because OpenSSL 3 or newer is missing: the command openssl.`
    console.warn(`\n${'!'.repeat(line.length)}\n${line}\n${'!'.repeat(line.length)}`)
  }
}
