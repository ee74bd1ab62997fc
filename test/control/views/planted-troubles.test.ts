import { describe, expect, test } from 'vitest'
import type { Trouble } from '../../../src/generated/controls.ts'
import { controlClient } from '../../support/client.ts'
import { isLike, openPlanted, PLANTED, type PlantedTrouble } from '../../support/planted-troubles.ts'

type Planted = ReturnType<typeof openPlanted>

async function listTroubles(gateway: Planted): Promise<Trouble[]> {
  return (await controlClient(gateway)('GET', '/troubles')).body as Trouble[]
}

/** Sends the calls that end a trouble. */
async function sendFix(gateway: Planted, { fix = [] }: Partial<Trouble> = {}) {
  expect(fix).not.toEqual([])
  for (const { method, path, body } of fix) {
    const { status } = await controlClient(gateway)(method, path, body)
    expect(status).toBeLessThan(300)
  }
}

const isAbout = ({ about }: Trouble, { about: name }: PlantedTrouble) => about.some((each) => isLike(each.name, name))

describe('A trouble of a developer is explained once, and ends with its fix:', () => {
  test.each(PLANTED)('$name', async (planted) => {
    const gateway = openPlanted()
    await planted.make(gateway)
    const all = await listTroubles(gateway)
    const [trouble, ...others] = all.filter((each) => isAbout(each, planted))
    expect(others).toEqual([])
    for (const { cause } of all) expect(cause).not.toMatch(/\.\.|\. \.|undefined|null/)
    // Each job and each delayed response waits for the clock.
    expect(all.filter((each) => each !== trouble && each.kind !== 'waiting')).toEqual([])
    expect(trouble, JSON.stringify(all)).toMatchObject({ kind: planted.kind, count: planted.count ?? 1 })
    expect(trouble?.cause).toSatisfy((cause: string) => isLike(cause, planted.cause), planted.cause)
    let present: Trouble | undefined = trouble
    for (const kind of [...(planted.later ?? []), undefined]) {
      // What is fixed, but has no fix that removes it, is something that happened.
      if (present !== trouble && !present?.fix) break
      if (planted.end && present === trouble) await planted.end(gateway)
      else await sendFix(gateway, present)
      present = (await listTroubles(gateway)).find((each) => isAbout(each, planted))
      expect(present?.kind, JSON.stringify(present)).toBe(kind)
    }
  })
})
