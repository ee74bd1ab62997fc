import { expect, test } from 'vitest'
import { sentences } from '../../src/server/options/sentences.ts'
import { optionTable } from '../../src/server/options/table.ts'

const root = new URL('../../', import.meta.url)

test('Each option of the command has the sentence of its docstring', async () => {
  const { sentencesOfDocstrings } = await import(new URL('scripts/command/sentences.mjs', root).href)
  // Otherwise: npm run command:generate.
  expect(sentences).toEqual(sentencesOfDocstrings())
  expect(optionTable.filter(({ sentence }) => sentence === '')).toEqual([])
})
