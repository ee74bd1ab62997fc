import type { Gateway, ManualClock } from '../../src/index.ts'
import { type TestOptions, testWithGateway } from '../../src/testing/testing.ts'

type TestFunction = (gateway: Gateway<ManualClock>) => unknown

/** Runs a test with a gateway. Returns the error that its runner gets; undefined if the test passes. */
export async function runTest(work: TestFunction, options?: TestOptions): Promise<Error | undefined> {
  const runs: (() => Promise<unknown>)[] = []
  const base = (_name: string, run: () => Promise<unknown>) => runs.push(run)
  testWithGateway(base, options)('of an application', ({ gateway }) => work(gateway))
  return runs[0]?.().then(
    () => undefined,
    (error: Error) => error,
  )
}

/** Runs a test with a gateway. Returns the message of its error, or `passed`. */
export async function catchTestMessage(work: TestFunction, options?: TestOptions): Promise<string> {
  return (await runTest(work, options))?.message ?? 'passed'
}
