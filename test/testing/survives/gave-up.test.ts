import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { type Life, survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { createCall } from './programs/client.ts'

/** Waits for the certificate of a domain, and cleans up if it takes too long. */
async function provision(life: Life, tries: number, cleansUp = true) {
  const call = createCall(life)
  const policy = { certificate_management_policy: { authority: 'letsencrypt' } }
  const { id } = await call('POST', '/reserved_domains', { domain: 'app.example.com', ...policy })
  for (let count = 1; count < tries; count++) {
    if ((await call('GET', `/reserved_domains/${id}`)).certificate) return
    await new Promise((resolve) => setTimeout(resolve, 5_000))
  }
  if (cleansUp) await call('DELETE', `/reserved_domains/${id}`)
  throw new Error('There is no certificate.')
}

const endOf = async (tries: number, cleansUp?: boolean) => {
  const search = survives((life) => provision(life, tries, cleansUp), { create: createNgrok })
  const { message } = await expectSurvivalError(search)
  return message.split('  in the end: ')[1]
}

test('The story of code that gives up before an attempt says when it was due, also if the domain is deleted', async () => {
  const attempt = '\n  the first attempt for app.example.com was due at 30s'
  expect(await endOf(5)).toBe(
    `it rejects with Error: There is no certificate; left behind: nothing${attempt}, 10s later`,
  )
  expect(await endOf(5, false)).toBe(
    `it rejects with Error: There is no certificate; left behind: rd_a${attempt}, 15s later`,
  )
})

test('The story of code that rejects although it has a certificate mentions no attempt', async () => {
  const code = async (life: Life) => {
    await provision(life, 10)
    throw new Error('Something else is wrong.')
  }
  const { message } = await expectSurvivalError(survives(code, { create: createNgrok }))
  expect(message).not.toContain('was due')
})
