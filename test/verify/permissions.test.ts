import { expect, test } from 'vitest'
import { reasonAgainst } from '../../src/verify/permissions.ts'

test('A family without a rule, such as a new one, is not changed by a run, not even on this machine', () => {
  const permission = { isLocal: true, domain: 'test.example.com', isReadOnly: false }
  expect(reasonAgainst('tls_certificates', '/tls_certificates', permission)).toBeUndefined()
  expect(reasonAgainst('widgets', '/widgets', permission)).toBe('not in the list of operations that may be called')
})
