import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import type { Gateway } from '../../../src/index.ts'
import { type Life, type SurvivesOptions, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { createCall } from './programs/client.ts'

const setup = (gateway: Gateway) => {
  gateway.reservedAddrs.create({ description: 'unrelated' })
  gateway.reservedAddrs.create({ description: 'old' })
}

const options = { create: createNgrok, setup, faults: 1, kinds: ['5xx'] } satisfies SurvivesOptions

/** Returns the addresses with a description. */
const find = async (life: Life, description: string): Promise<{ id: string }[]> => {
  const { reserved_addrs } = await createCall(life)('GET', '/reserved_addrs')
  return reserved_addrs.filter((each: { description: string }) => each.description === description)
}

const deleteOld = async (life: Life) => {
  for (const { id } of await find(life, 'old')) await createCall(life)('DELETE', `/reserved_addrs/${id}`)
}

/** Deletes the old address before there is a new one. */
const replace = async (life: Life) => {
  await deleteOld(life)
  if ((await find(life, 'new')).length === 0) await createCall(life)('POST', '/reserved_addrs', { description: 'new' })
}

describe('Code that rejects', () => {
  test('does not survive if it has deleted a resource of `setup` that it should have replaced', async () => {
    const error = await expectSurvivalError(survives(replace, options))
    expect(error.groups.map(({ verdict }) => verdict)).toContain('missing-after-error')
    expect(error.message.split('\n')[0]).toBe(
      'replace does not survive one fault: it rejects with Error: DELETE /reserved_addrs/ra_a was answered with 503, ' +
        'and 1 of 2 reserved_addrs is missing.',
    )
  })

  test('survives if its next try replaces the resource', async () => {
    expect((await survives(replace, { ...options, mayLeave: ['reserved_addrs'] })).summary).toMatch(/; 0 fail$/)
  })

  test('survives if it was to delete the resource anyway', async () => {
    expect((await survives(deleteOld, options)).summary).toMatch(/; 0 fail$/)
  })

  test('survives if it has changed a resource, as it should have', async () => {
    const change = async (life: Life) => {
      for (const { id } of await find(life, 'old')) {
        await createCall(life)('PATCH', `/reserved_addrs/${id}`, { description: 'changed' })
        await find(life, 'changed')
      }
    }
    expect((await survives(change, options)).summary).toMatch(/; 0 fail$/)
  })
})
