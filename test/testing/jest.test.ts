import { afterEach, expect, it, vi } from 'vitest'
import { matchers } from '../../src/testing/testing.ts'

afterEach(() => void vi.unstubAllGlobals())

/** Loads `fauxgate/jest` with a global `expect`, as a setup file of Jest does. */
async function loadWith(expectOfJest: unknown): Promise<void> {
  vi.resetModules()
  vi.stubGlobal('expect', expectOfJest)
  await import('../../src/testing/jest.ts')
}

it('fauxgate/jest registers all matchers at the global expect', async () => {
  const extend = vi.fn<(registered: object) => void>()
  await loadWith({ extend })
  expect(extend).toHaveBeenCalledOnce()
  expect(Object.keys(extend.mock.calls[0]?.[0] ?? {})).toEqual(Object.keys(matchers))
})

it('fauxgate/jest throws without a global expect, and names the option of Jest for its setup file', async () => {
  await expect(loadWith(undefined)).rejects.toThrow(
    "fauxgate/jest found no global expect. Add fauxgate/jest to Jest's setupFilesAfterEnv.",
  )
})
