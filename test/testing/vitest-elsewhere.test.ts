import { expect, it, onTestFinished, vi } from 'vitest'

it('fauxgate/vitest throws in a runner without fixtures, such as `bun test`, and names what to use there', async () => {
  // Other tests of this worker may have imported the module already, and later ones need the real vitest.
  vi.resetModules()
  onTestFinished(() => {
    vi.doUnmock('vitest')
    vi.resetModules()
  })
  vi.doMock('vitest', () => ({ test: () => {}, expect, vi }))
  await expect(import('../../src/testing/vitest.ts')).rejects.toThrow(
    'fauxgate/vitest found no test.extend in vitest. `bun test` replaces vitest with its own runner: run `bun --bun x vitest run`, ' +
      'or use testWithGateway from fauxgate/testing with the test of "bun:test".',
  )
})
