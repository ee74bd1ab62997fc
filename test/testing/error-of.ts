import type { Gateway, ManualClock } from '../../src/index.ts'
import { type TestOptions, testWithGateway } from '../../src/testing/testing.ts'

type Work = (gateway: Gateway<ManualClock>) => unknown

/** Returns what a test with a gateway rejects with, as any runner gets it; undefined if it passes. */
export async function thrownIn(work: Work, options?: TestOptions): Promise<Error | undefined> {
  const runs: (() => Promise<unknown>)[] = []
  const base = (_name: string, run: () => Promise<unknown>) => runs.push(run)
  testWithGateway(base, options)('of an application', ({ gateway }) => work(gateway))
  return runs[0]?.().then(
    () => undefined,
    (error: Error) => error,
  )
}

/** Returns the message of that error; `passed` if there is none. */
export async function errorOf(work: Work, options?: TestOptions): Promise<string> {
  return (await thrownIn(work, options))?.message ?? 'passed'
}
