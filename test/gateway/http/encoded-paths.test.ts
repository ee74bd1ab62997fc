import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { controlClient, uncheckedClient } from '../../support/client.ts'

describe('Unreserved characters of a path mean the same if they are percent-encoded (RFC 3986, 6.2.2.2)', () => {
  test.each(['/reserved%5Faddrs', '/reserved%5faddrs', '/%72eserved_addrs', '/%52eserved_addrs'])(
    '%s',
    async (path) => {
      const gateway = createGateway()
      gateway.faults.add({ path: '/reserved_addrs', status: 418 })
      // An encoded capital is a capital.
      expect((await uncheckedClient(gateway)('GET', path)).status).toBe(path.includes('%52') ? 404 : 418)
      expect(gateway.requests.all()[0]?.path).toBe(path.includes('%52') ? '/Reserved_addrs' : '/reserved_addrs')
    },
  )

  test('also below the control API, whose access is checked as usual', async () => {
    const gateway = createGateway({ control: { key: 'secret' } })
    const { status } = await gateway.fetch(`${gateway.url}/%5Ffauxgate/cl%6Fck`)
    expect(status).toBe(401)
    expect((await controlClient(createGateway())('GET', '/cl%6Fck')).status).toBe(200)
  })

  test.each(['/reserved_addrs%2Fra_1', '/reserved_addrs%20', '/reserved_addrs%3Fx'])(
    'but %s stays unknown',
    async (path) => {
      expect((await uncheckedClient(createGateway())('GET', path)).body).toMatchObject({ status_code: 404 })
    },
  )
})
