import { describe, expect, test } from 'vitest'
import { client, outcome } from '../../support/client.ts'
import { createTestClock, open } from '../../support/gateway.ts'
import { upload } from '../../support/pem.ts'

/**
 * Each kind of resource: a body that creates one, the fields that an update cannot have, the outcome of an update
 * without values, and the fields that other updates reset.
 */
const KINDS = [
  {
    path: '/reserved_addrs',
    body: { region: 'eu' },
    fixedFields: { region: 'eu', addr: '1.tcp.gateway.test:10000' },
    emptyOutcome: '400 ERR_GATEWAY_506',
  },
  {
    path: '/reserved_domains',
    body: { domain: 'app.example.com', region: 'eu' },
    fixedFields: { domain: 'other.example.com', region: 'eu' },
    emptyOutcome: '400 ERR_GATEWAY_422',
    parts: ['/certificate', '/certificate_management_policy'],
  },
  { path: '/backends/weighted', body: { backends: { bkdhr_1: 1 } }, emptyOutcome: '200', reset: { backends: {} } },
  { path: '/tls_certificates', body: upload(), fixedFields: upload(), emptyOutcome: '200' },
]

describe.each(KINDS)(
  'A resource of $path (rules: reserved-addresses#resource, reserved-domains#resource, weighted-backends#resource, tls-certificates#resource)',
  ({ path, body, fixedFields = {}, emptyOutcome, parts = [], reset }) => {
    async function create(more: object = {}) {
      const clock = createTestClock()
      const api = client(open({ clock }))
      const response = await api('POST', path, { json: { ...body, ...more } })
      return { api, clock, before: response.body, text: response.text, itemPath: `${path}/${response.body.id}` }
    }

    test('is read exactly like the response that created it', async () => {
      const { api, itemPath, text } = await create({ description: 'one' })
      const read = await api('GET', itemPath)
      expect([read.status, read.text]).toEqual([200, text])
    })

    test('keeps fields that an update does not send, and the response has all fields', async () => {
      const { api, clock, before, itemPath } = await create({ description: 'one', metadata: 'm' })
      clock.advance(60_000)
      const changed = await api('PATCH', itemPath, { json: { description: 'two' } })
      expect([changed.status, changed.body]).toEqual([200, { ...before, ...reset, description: 'two' }])
      expect((await api('GET', itemPath)).body).toEqual(changed.body)
    })

    test('cannot change its fixed fields', async () => {
      const { api, itemPath } = await create()
      for (const [field, value] of Object.entries(fixedFields)) {
        expect(outcome(await api('PATCH', itemPath, { json: { [field]: value } }))).toBe('400 ERR_GATEWAY_214')
      }
    })

    test.each([{}, { description: null, metadata: null }])(
      'has the outcome of its kind for an update without values: %j (rules: reserved-addresses#update, reserved-domains#update)',
      async (json) => {
        const { api, before, itemPath } = await create({ metadata: 'm' })
        expect(outcome(await api('PATCH', itemPath, { json }))).toBe(emptyOutcome)
        expect(outcome(await api('PATCH', itemPath, { json: { ...json, id: before.id } }))).toBe(emptyOutcome)
        expect((await api('GET', itemPath)).body).toEqual(emptyOutcome === '200' ? { ...before, ...reset } : before)
      },
    )

    test('may have its own id in an update, but no other id (rules: requests#fields)', async () => {
      const { api, before, itemPath } = await create()
      expect((await api('PATCH', itemPath, { json: { id: before.id, metadata: 'x' } })).status).toBe(200)
      const other = `${before.id.split('_')[0]}_other`
      expect(outcome(await api('PATCH', itemPath, { json: { id: other, metadata: 'x' } }))).toBe('400 ERR_GATEWAY_215')
      expect(outcome(await api('POST', path, { json: { ...body, id: before.id } }))).toBe('400 ERR_GATEWAY_214')
    })

    test('is deleted with 204, and every operation after that returns 404', async () => {
      const { api, itemPath } = await create()
      const deleted = await api('DELETE', itemPath)
      expect([deleted.status, deleted.text]).toEqual([204, ''])
      expect(outcome(await api('PATCH', itemPath, { json: { metadata: 'x' } }))).toBe('404 ERR_GATEWAY_90404')
      expect(outcome(await api('GET', itemPath))).toBe('404 ERR_GATEWAY_90404')
      for (const part of ['', ...parts])
        expect(outcome(await api('DELETE', itemPath + part))).toBe('404 ERR_GATEWAY_90404')
      expect(Object.values((await api('GET', path)).body)[0]).toEqual([])
    })
  },
)

describe('Texts with a limit (rules: limits#strings, tls-certificates#accepted)', () => {
  test.each([
    ['/reserved_addrs', 'metadata', 'ASCII', 'x'.repeat(4096), '505'],
    ['/reserved_addrs', 'metadata', 'two-byte characters', 'ü'.repeat(2048), '505'],
    ['/reserved_addrs', 'metadata', 'three-byte characters', `${'東'.repeat(1365)}x`, '505'],
    ['/reserved_addrs', 'metadata', 'four-byte characters', '😀'.repeat(1024), '505'],
    ['/reserved_domains', 'metadata', 'four-byte characters', '😀'.repeat(1024), '421'],
    ['/tls_certificates', 'description', 'ASCII', 'x'.repeat(255), '1914'],
    ['/tls_certificates', 'description', 'two-byte characters', `${'ü'.repeat(127)}x`, '1914'],
    ['/tls_certificates', 'description', 'four-byte characters', `${'😀'.repeat(63)}xxx`, '1914'],
    ['/tls_certificates', 'metadata', 'ASCII', 'x'.repeat(4096), '1915'],
    ['/tls_certificates', 'metadata', 'three-byte characters', `${'東'.repeat(1365)}x`, '1915'],
    ['/tls_certificates', 'metadata', 'four-byte characters', '😀'.repeat(1024), '1915'],
  ])('of %s may have exactly that many bytes in UTF-8: %s of %s', async (path, field, _what, text, number) => {
    const api = client(open())
    const kind = KINDS.find((each) => each.path === path)
    const { status, body } = await api('POST', path, { json: { ...kind?.body, [field]: text } })
    expect([status, body[field]]).toEqual([201, text])
    const longer = { [field]: `${text}x` }
    const expected = `400 ERR_GATEWAY_${number}`
    expect(outcome(await api('POST', path, { json: { ...kind?.body, ...longer } }))).toBe(expected)
    expect(outcome(await api('PATCH', `${path}/${body.id}`, { json: longer }))).toBe(expected)
  })

  test.each([
    ['/reserved_addrs', { description: 'x'.repeat(100_000) }],
    ['/backends/weighted', { metadata: 'x'.repeat(5000), description: 'y'.repeat(5000) }],
  ])('do not include other texts: %s', async (path, json) => {
    expect((await client(open())('POST', path, { json })).body).toMatchObject(json)
  })
})
