import { expect, it, vi } from 'vitest'

it('fauxgate/vitest throws in a runner without fixtures, such as `bun test`, and names what to use there', async () => {
  vi.doMock('vitest', () => ({ test: () => {}, expect, vi }))
  await expect(import('../../src/testing/vitest.ts')).rejects.toThrow(
    'fauxgate/vitest found no test.extend in vitest. `bun test` replaces vitest with its own runner: run `bun --bun x vitest run`, ' +
      'or use testWithGateway from fauxgate/testing with the test of "bun:test".',
  )
})
