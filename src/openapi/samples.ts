import type { CatalogueError } from '../schema/errors.ts'

/** What messages tell that no request of the tests provokes, by the names that errors have for it; other names stand for themselves. */
const SAMPLES: Readonly<Record<string, string | number>> = {
  field: 'metadata',
  received: '"x"',
  allowed: 'those of the reference',
  limit: 4096,
  most: 1000,
  seconds: 60,
  wait: 12,
  what: 'reserved domain',
  inside: 'a subscriber',
  why: 'it is not there',
  id: 'rd_0000001abcdefghijklmnopqrst',
  reached: '2026-01-01T00:00:00Z',
  asked: '2027-01-01T00:00:00Z',
}

/** The values of messages that use a name in a way of their own. */
const OF_ONE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  control_forbidden: { what: 'Host', received: '"example.com"' },
  nothing_ahead: { what: 'renewal', received: 'rd_0000001abcdefghijklmnopqrst', why: 'it has no certificate' },
  store_failed: { why: 'the disk is full.' },
  too_many_on_order: { what: 'faults' },
}

/** The message of an error as a request may meet it; `known` are the values that are known of it. */
export function sampleMessage(error: CatalogueError, known: Readonly<Record<string, string | undefined>>): string {
  const own = { ...known, ...OF_ONE[error.key] }
  const values = new Proxy(SAMPLES, { get: (samples, name: string) => own[name] ?? samples[name] ?? name })
  // It has whatever value a message asks for.
  return (error.message as (values: object) => string)(values)
}
