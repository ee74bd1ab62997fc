import { expect, it } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { survives } from '../../../src/testing/testing.ts'
import { optionsOf, RIGHT } from './programs/right.ts'

it.each(Object.entries(RIGHT))('survives finds nothing in %s', async (_name, right) => {
  const { summary } = await survives(right.code, optionsOf(right, createNgrok))
  expect(summary).toMatch(/; 0 fail$/)
})
