import { expect, test } from 'vitest'

test('What is derived from the sources is up to date: run `npm run generate`', async () => {
  const { staleFiles } = await import(new URL('../../scripts/generate.mjs', import.meta.url).href)
  expect(await staleFiles(), 'run npm run generate').toEqual([])
})
