import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { createGateway } from '../../../src/index.ts'
import { expectError } from '../../support/client.ts'

const LENGTH = 10_000_000

/** A list as JavaScript may pass it, with the type of any parameter. */
const sparse = (length: number): never => new Array(length) as never

const zeros = (length: number): never => new Array(length).fill(0) as never

describe('A list that is longer than any HTTP body can hold is rejected, and the process lives (rules: requests#body)', () => {
  test.each<[string, () => unknown, string]>([
    [
      'of texts',
      () => createNgrok().httpsEdges.create({ hostports: sparse(LENGTH) }),
      'hostports is an array of 10,000,000 items. Allowed: at most 1000000 items across all lists.',
    ],
    [
      'of a control',
      () => createGateway().provisioning.script(zeros(1_000_001)),
      'outcomes is an array of 1,000,001 items. Allowed: at most 1000000 items across all lists.',
    ],
    [
      'in a field that takes any object',
      () => createGateway().faults.add({ body: { list: sparse(LENGTH) } }),
      'body is an object. Allowed: at most 1000000 values.',
    ],
    [
      'in a field that takes any object, where several lists are too long together',
      () => createGateway().faults.add({ body: { a: zeros(400_000), b: zeros(400_000), c: zeros(400_000) } }),
      'body is an object. Allowed: at most 1000000 values.',
    ],
    [
      'instead of a text',
      () => createGateway().reservedDomains.create({ domain: sparse(LENGTH) }),
      'domain is an array of 10,000,000 items. Allowed: at most 1000000 values.',
    ],
    [
      'of the longest length that JavaScript has',
      () => createNgrok().httpsEdges.create({ hostports: sparse(2 ** 32 - 1) }),
      'hostports is an array of 4,294,967,295 items. Allowed: at most 1000000 items across all lists.',
    ],
  ])('%s', (_what, call, message) => {
    expect(expectError(call).message).toBe(message)
  })

  test('and the missing items of a shorter one are reported once', () => {
    const { message, details } = expectError(() => createNgrok().httpsEdges.create({ hostports: sparse(1_000_000) }))
    expect(message).toBe('hostports.0 is missing. Allowed: a string.')
    expect(details).not.toHaveProperty('further_problems')
    const inside = ['a.test:443', undefined, 5] as never
    expect(expectError(() => createNgrok().httpsEdges.create({ hostports: inside })).message).toBe(
      'hostports.1 is missing. Allowed: a string.',
    )
  })

  test('a snapshot with such a list of records is rejected too', () => {
    const gateway = createGateway()
    const snapshot = structuredClone(gateway.snapshot())
    const restore = () =>
      gateway.restore({ ...snapshot, records: { ...snapshot.records, reserved_addrs: sparse(LENGTH) } })
    expect(expectError(restore).message).toBe('records.reserved_addrs.0 is missing. Allowed: an object.')
  })

  test('a hole in the JSON of a fault is null, as JSON.stringify writes it', () => {
    const gateway = createGateway()
    // biome-ignore lint/suspicious/noSparseArray: it is the case
    gateway.faults.add({ body: { list: [1, , 2] } })
    expect(gateway.faults.all()[0]?.body).toEqual({ list: [1, null, 2] })
  })
})
