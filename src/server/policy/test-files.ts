import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type PolicyTestFile, readPolicyTests } from '../../testing/policy-tests/read.ts'
import type { PolicyTestRun } from '../../testing/policy-tests/run.ts'
import { describeFailure } from '../../testing/policy-tests/text.ts'
import { messageOf } from '../errors.ts'
import { readError } from '../files.ts'

/** A test file that was read, with its policy. */
export interface LoadedTests {
  readonly tests: PolicyTestFile['tests']
  /** The path of the policy; that of the test file if it has the policy itself. */
  readonly policyFile: string
  /** Loads the gateway, which takes long, and checks the policy. Rejects with an error that names the policy's errors. */
  load(): Promise<PolicyTestRun>
}

/**
 * Reads a test file and its policy, whose path is relative to the folder of the test file.
 * @throws Error that names the file, and what in it is not allowed
 */
export function loadPolicyTests(file: string): LoadedTests {
  const read = inFile(file, () => readPolicyTests(readUtf8(file)))
  const { policy } = read
  const isPath = typeof policy === 'string' && !policy.includes('\n')
  const policyFile = isPath ? resolve(dirname(file), policy) : file
  const text = isPath ? readUtf8(policyFile) : typeof policy === 'string' ? policy : JSON.stringify(policy, null, 2)
  let loading: Promise<PolicyTestRun> | undefined
  const load = async () => {
    const { PolicyTestRun } = await import('../../testing/policy-tests/run.ts')
    return inFile(policyFile, () => new PolicyTestRun(read, text))
  }
  return {
    tests: read.tests,
    policyFile,
    load: () => {
      loading ??= load()
      return loading
    },
  }
}

function readUtf8(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw readError(file, error)
  }
}

function inFile<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error })
  }
}

/** The function of a test runner that declares a test. */
type DeclareTest = (name: string, work: () => Promise<void>) => unknown

/**
 * Declares a test for each case of a test file for a traffic policy: the file that `fauxgate policy test` runs. Each case has
 * a gateway of its own. A failing case shows the differences, and the trace of its request.
 *
 * @example
 * ```ts
 * import { testPolicy } from 'fauxgate/node'
 * import { test } from 'vitest'
 * testPolicy('policy.test.yml', test)
 * ```
 * @throws Error if the file or the policy cannot be read. If the service would refuse the policy, each test fails.
 */
export function testPolicy(file: string, test: DeclareTest): void {
  const { tests, load } = loadPolicyTests(file)
  for (const each of tests) {
    test(each.name, async () => {
      const result = await (await load()).run(each)
      if (result.differences.length > 0) throw new Error(describeFailure(result))
    })
  }
}
