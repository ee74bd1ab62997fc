import type { Gateway, ManualClock } from '../../src/index.ts'
import { type TestOptions, testWithGateway } from '../../src/testing/testing.ts'

/** Returns the error of a test with a gateway, as any runner gets it; `passed` if there is none. */
export async function errorOf(
  work: (gateway: Gateway<ManualClock>) => unknown,
  options?: TestOptions,
): Promise<string> {
  let run: (() => Promise<unknown>) | undefined
  const base = (_name: string, work: () => Promise<unknown>) => {
    run = work
  }
  testWithGateway(base, options)('of an application', ({ gateway }) => work(gateway))
  return (await run?.().then(
    () => 'passed',
    (error: Error) => error.message,
  )) as string
}
