import { describe, expect, test } from 'vitest'
import { client, outcome } from '../support/client.ts'
import { createTestClock, open } from '../support/gateway.ts'
import { upload } from '../support/pem.ts'

/**
 * Each kind of resources: a body that creates one, the fields that an update cannot have, the answer to an update without
 * values, and what an update of other fields resets.
 */
const KINDS = [
  {
    path: '/reserved_addrs',
    body: { region: 'eu' },
    fixed: { region: 'eu', addr: '1.tcp.gateway.test:10000' },
    empty: '400 ERR_GATEWAY_506',
  },
  {
    path: '/reserved_domains',
    body: { domain: 'app.example.com', region: 'eu' },
    fixed: { domain: 'other.example.com', region: 'eu' },
    empty: '400 ERR_GATEWAY_422',
    parts: ['/certificate', '/certificate_management_policy'],
  },
  { path: '/backends/weighted', body: { backends: { bkdhr_1: 1 } }, empty: '200', reset: { backends: {} } },
  { path: '/tls_certificates', body: upload(), fixed: upload(), empty: '200' },
]

describe.each(KINDS)(
  'A resource of $path (rules: reserved-addresses#resource, reserved-domains#resource, weighted-backends#resource, tls-certificates#resource)',
  ({ path, body, fixed = {}, empty, parts = [], reset }) => {
    async function created(more: object = {}) {
      const clock = createTestClock()
      const api = client(open({ clock }))
      const answer = await api('POST', path, { json: { ...body, ...more } })
      return { api, clock, before: answer.body, text: answer.text, own: `${path}/${answer.body.id}` }
    }

    test('is read exactly as the response that created it', async () => {
      const { api, own, text } = await created({ description: 'one' })
      const got = await api('GET', own)
      expect([got.status, got.text]).toEqual([200, text])
    })

    test('keeps fields that an update does not send, and the response has all fields', async () => {
      const { api, clock, before, own } = await created({ description: 'one', metadata: 'm' })
      clock.advance(60_000)
      const changed = await api('PATCH', own, { json: { description: 'two' } })
      expect([changed.status, changed.body]).toEqual([200, { ...before, ...reset, description: 'two' }])
      expect((await api('GET', own)).body).toEqual(changed.body)
    })

    test('cannot change its fixed fields', async () => {
      const { api, own } = await created()
      for (const [field, value] of Object.entries(fixed)) {
        expect(outcome(await api('PATCH', own, { json: { [field]: value } }))).toBe('400 ERR_GATEWAY_214')
      }
    })

    test.each([{}, { description: null, metadata: null }])(
      'handles an update without values as its kind does: %j (rules: reserved-addresses#update, reserved-domains#update)',
      async (json) => {
        const { api, before, own } = await created({ metadata: 'm' })
        expect(outcome(await api('PATCH', own, { json }))).toBe(empty)
        expect(outcome(await api('PATCH', own, { json: { ...json, id: before.id } }))).toBe(empty)
        expect((await api('GET', own)).body).toEqual(empty === '200' ? { ...before, ...reset } : before)
      },
    )

    test('may have its own id in an update, but no other id (rules: requests#fields)', async () => {
      const { api, before, own } = await created()
      expect((await api('PATCH', own, { json: { id: before.id, metadata: 'x' } })).status).toBe(200)
      const other = `${before.id.split('_')[0]}_other`
      expect(outcome(await api('PATCH', own, { json: { id: other, metadata: 'x' } }))).toBe('400 ERR_GATEWAY_215')
      expect(outcome(await api('POST', path, { json: { ...body, id: before.id } }))).toBe('400 ERR_GATEWAY_214')
    })

    test('is deleted with 204, and gone for every operation after that', async () => {
      const { api, own } = await created()
      const deleted = await api('DELETE', own)
      expect([deleted.status, deleted.text]).toEqual([204, ''])
      expect(outcome(await api('PATCH', own, { json: { metadata: 'x' } }))).toBe('404 ERR_GATEWAY_90404')
      expect(outcome(await api('GET', own))).toBe('404 ERR_GATEWAY_90404')
      for (const part of ['', ...parts]) expect(outcome(await api('DELETE', own + part))).toBe('404 ERR_GATEWAY_90404')
      expect(Object.values((await api('GET', path)).body)[0]).toEqual([])
    })
  },
)

describe('Texts with a limit (rules: limits#texts, tls-certificates#accepted)', () => {
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
  ])('are no others: %s', async (path, json) => {
    expect((await client(open())('POST', path, { json })).body).toMatchObject(json)
  })
})
