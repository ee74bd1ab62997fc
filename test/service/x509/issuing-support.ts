import { createHash } from 'node:crypto'
import type { Draw } from '../../../src/core/schema/values.ts'
import type { CertificateOrder } from '../../../src/service/x509/order.ts'

/** A day in ms. */
export const DAY = 86_400_000

/** Returns random bytes that depend only on `seed`. */
export function createDraw(seed: string): Draw {
  return (stream, number) => {
    let used = 0
    return (size) => {
      const bytes = createHash('shake256', { outputLength: used + size })
        .update(`${seed} ${stream} ${number}`)
        .digest()
      used += size
      return Uint8Array.from(bytes.subarray(used - size))
    }
  }
}

/** Returns an order for 90 days of app.example.com with an ECDSA key, changed by the fields of `order`. */
export function createOrder(order: Partial<CertificateOrder> = {}): CertificateOrder {
  const not_before = order.not_before ?? Date.UTC(2026, 0, 2, 3, 4, 5)
  return {
    domain: 'app.example.com',
    private_key_type: 'ecdsa',
    not_before,
    not_after: not_before + 90 * DAY,
    number: 1,
    ...order,
  }
}

/** The kinds of keys. */
export const kinds = ['ecdsa', 'rsa'] as const

/** A name that is too long for a common name. */
export const longName = `${'a'.repeat(60)}.example.com`

/** Orders of every sort, by their descriptions. */
export const orders = {
  'an exact name': createOrder(),
  'a wildcard': createOrder({ domain: '*.example.com' }),
  'a name of 64 characters': createOrder({ domain: `${'a'.repeat(52)}.example.com` }),
  'a name too long for a common name': createOrder({ domain: longName }),
  'a long wildcard': createOrder({ domain: `*.${longName}` }),
  'a validity from the start of 1970': createOrder({ not_before: 0 }),
  'a validity across 2050': createOrder({ not_before: Date.UTC(2049, 11, 31, 23, 59, 59), number: 2 ** 40 }),
  'a validity within 2050': createOrder({ not_before: Date.UTC(2050, 0, 1) }),
  'a validity to the end of 9999': createOrder({ not_after: Date.UTC(9999, 11, 31, 23, 59, 59) }),
  'times between two seconds': createOrder({ not_before: 1_767_323_045_999, not_after: 1_775_099_045_001 }),
}
/** Each of these orders with each kind of key. */
export const cases = Object.entries(orders).flatMap(([what, order]) =>
  kinds.map((private_key_type) => ({ what, private_key_type, order: { ...order, private_key_type } })),
)
