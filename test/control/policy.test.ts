import { expect, test } from 'vitest'
import { controlClient } from '../support/client.ts'
import { open, stateOf } from '../support/gateway.ts'

test('POST /policy/check checks a traffic policy as the command does, and changes nothing', async () => {
  const gateway = open()
  const before = stateOf(gateway)
  const control = controlClient(gateway)
  const policy =
    "on_http_request:\n  - actions: [{ type: basic-auth, config: { credentials: ['a:secret-word', b] } }]\n"
  const { status, body } = await control('POST', '/policy/check', { policy })
  expect(status).toBe(200)
  expect(body).toEqual([
    {
      severity: 'error',
      code: expect.stringMatching(/^ERR_NGROK_22\d\d$/),
      message: expect.stringContaining('credentials[1]'),
      line: 2,
      column: expect.any(Number),
      docs: expect.stringMatching(/^https:\/\/ngrok\.com\/docs\/errors\/err_ngrok_22\d\d$/),
    },
  ])
  expect(JSON.stringify(body)).not.toContain('secret-word')
  const onTcp = await control('POST', '/policy/check', { policy, protocol: 'tcp' })
  expect(onTcp.body[0].code).toBe('ERR_NGROK_2230')
  expect((await control('POST', '/policy/check', { policy, place: 'nowhere' })).status).toBe(400)
  expect(stateOf(gateway)).toBe(before)
})
