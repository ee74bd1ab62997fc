import { expect, it } from 'vitest'
import { createNgrok, type NgrokOptions } from '../../../src/gateway/ngrok.ts'
import { survives } from '../../../src/testing/testing.ts'
import { expectSurvivalError } from './failure.ts'
import { type Call, createCall } from './programs/client.ts'

/** Returns the message for code that ignores the failure of its last request. */
async function messageOf(initial: NgrokOptions['initial'], change: (call: Call) => Promise<unknown>) {
  const search = survives((life) => change(createCall(life)), {
    create: (each) => createNgrok({ ...each, initial: initial ?? {} }),
    faults: 1,
    kinds: ['lost'],
    allow: () => true,
  })
  return (await expectSurvivalError(search)).message.split('\n')[0]
}

const ignore = () => undefined

it('A report shows the part in which long texts differ', async () => {
  const metadata = 'x'.repeat(200)
  const message = await messageOf({ ipPolicies: [{ metadata: `${metadata}1` }] }, async (call) => {
    const [{ id }] = (await call('GET', '/ip_policies')).ip_policies
    await call('PATCH', `/ip_policies/${id}`, { metadata: `${metadata}2` }).catch(ignore)
  })
  expect(message).toContain('has metadata "…xxxxxxxxxxxxxxxxxxxx1" where "…xxxxxxxxxxxxxxxxxxxx2" is wanted.')
})

it('A report tells that a resource of before is left, although there are as many as wanted', async () => {
  const message = await messageOf({ ipPolicies: [{}] }, async (call) => {
    const [{ id }] = (await call('GET', '/ip_policies')).ip_policies
    const isDeleted = await call('DELETE', `/ip_policies/${id}`).then(
      () => true,
      () => false,
    )
    if (isDeleted) await call('POST', '/ip_policies', {})
  })
  expect(message).toContain('ip_policies ipp_a is left where it should be deleted.')
})

it('A report has the value of a whole list whose length differs', async () => {
  const acl = ['bind:a.example.com', 'bind:b.example.com']
  const message = await messageOf({ credentials: [{ acl: acl.slice(1) }] }, async (call) => {
    const { credentials } = await call('GET', '/credentials')
    const { id } = credentials.find((each: { readonly acl: readonly string[] }) => each.acl.length === 1)
    await call('PATCH', `/credentials/${id}`, { acl }).catch(ignore)
  })
  expect(message).toContain(
    'has acl ["bind:b.example.com"] where ["bind:a.example.com","bind:b.example.com"] is wanted.',
  )
})
