import { expect, test } from 'vitest'

// The test compiles all sources, which takes more than a minute on a busy machine.
const timeout = 300_000

test('Generated files are up to date: run `npm run generate`', { timeout }, async () => {
  const { listStaleFiles } = await import(new URL('../../scripts/generate.mjs', import.meta.url).href)
  expect(await listStaleFiles(), 'run npm run generate').toEqual([])
})
