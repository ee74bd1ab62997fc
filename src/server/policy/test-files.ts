import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { quote } from '../../core/schema/text.ts'
import { findPolicies } from '../../service/policy/files/find.ts'
import type { FoundPolicy } from '../../service/policy/files/found.ts'
import { type PolicyTestFile, readPolicyTests } from '../../testing/policy-tests/read.ts'
import type { PolicyTestRun } from '../../testing/policy-tests/run.ts'
import { describeFailure } from '../../testing/policy-tests/text.ts'
import { messageOf } from '../errors.ts'
import { readError, requireEnd } from '../files.ts'

/** A test file that was read, with its policy. */
export interface LoadedTests {
  readonly tests: PolicyTestFile['tests']
  /** The path of the policy, relative to the working directory, or that of the test file if it contains the policy itself. */
  readonly policyFile: string
  /** Loads the gateway, which is slow, and checks the policy. If the policy has errors, rejects with an error that lists them. */
  load(): Promise<PolicyTestRun>
}

/**
 * Reads a test file and its policy. The policy's path is relative to the folder of the test file.
 * @throws Error with the file and the part of it that is not allowed
 */
export function loadPolicyTests(file: string): LoadedTests {
  const own = readUtf8(file)
  const read = inFile(file, () => readPolicyTests(own))
  const { policy } = read
  const isPath = typeof policy === 'string' && !policy.includes('\n')
  const policyFile = isPath ? toRelative(resolve(dirname(file), policy)) : file
  if (isPath) requireEnd(policyFile, { takesPipe: false })
  const text = isPath ? readUtf8(policyFile) : ''
  const found = isPath
    ? choosePolicy(text, policyFile, read.policy_name)
    : (findPolicies(own).policies.find(({ name }) => name === 'policy') ?? writtenPolicy(policy))
  let loading: Promise<PolicyTestRun> | undefined
  const load = async () => {
    const { PolicyTestRun } = await import('../../testing/policy-tests/run.ts')
    return inFile(policyFile, () => new PolicyTestRun(read, found, findPolicies(text).problems))
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

/** Returns a path relative to the working directory. */
export const toRelative = (file: string) => relative('', file) || file

/** Selects a policy in a file by its position in the file or by the name of its resource. */
function choosePolicy(text: string, file: string, chosen: string | undefined): FoundPolicy {
  const { policies, computedLines } = findPolicies(text)
  const [policy, ...others] = policies.filter(
    ({ name, owner }) => chosen === undefined || chosen === name || chosen === owner,
  )
  if (policies.length === 0 ? computedLines.length > 0 : policy?.isTemplate && others.length === 0)
    throw new Error(`${file} is a template. Test its rendered output.`)
  if (policy && others.length === 0) return policy
  if (policies.length === 0) return writtenPolicy(text)
  const names = policies.map(({ name, owner = name }) => quote(owner)).join(', ')
  const received = chosen === undefined ? 'missing' : quote(chosen)
  throw new Error(
    `${file} contains ${policies.length} policies, but policy_name is ${received}. Allowed: one of ${names}.`,
  )
}

/** Returns a policy that was not found in a file. Checking it reports what is wrong. */
function writtenPolicy(policy: string | object): FoundPolicy {
  const text = typeof policy === 'string' ? policy : JSON.stringify(policy, null, 2)
  return { name: '', slice: () => ({ text, linesBefore: 0, indent: 0 }) }
}

function readUtf8(file: string): string {
  requireEnd(file)
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
    const lines = messageOf(error).split('\n')
    const message = lines.map((line) => `${file}:${/^\d+:/.test(line) ? '' : ' '}${line}`).join('\n')
    throw new Error(message, { cause: error })
  }
}

/** A test runner's function that declares a test. */
type DeclareTest = (name: string, work: () => Promise<void>) => unknown

/**
 * Declares a test for each case in a traffic policy's test file, as `fauxgate policy test` does. Each case has its own gateway. A failing
 * case shows the differences and the trace of its request.
 *
 * @example
 * ```ts
 * import { testPolicy } from 'fauxgate/node'
 * import { test } from 'vitest'
 * testPolicy('policy.test.yml', test)
 * ```
 * @throws Error if the file or the policy cannot be read. If the service would reject the policy, every test fails.
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
