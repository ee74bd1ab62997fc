import type { CatalogueError } from '../contract/errors.ts'

/** What messages tell, by the names that errors have for it; a family's own names stand for themselves. */
const SAMPLES: Readonly<Record<string, string | number>> = {
  field: 'metadata',
  received: '"x"',
  allowed: 'those of the reference',
  other: 'domain',
  prefix: 'rd',
  bytes: 5000,
  limit: 4096,
  size: 20_000,
  most: 1000,
  position: 1,
  unit: 'bytes',
  seconds: 60,
  wait: 12,
  method: 'POST',
  path: '/reserved_domain',
  what: 'reserved domain',
  operation: 'reserved_domains.create',
  inside: 'a subscriber',
  problem: 'it ends too early',
  why: 'it is not there',
  id: 'rd_0000001abcdefghijklmnopqrst',
  parent: 'bkdwd_0000002abcdefghijklmnopqrs',
  domain: '"app.example.com"',
  region: 'us',
  authority: 'letsencrypt',
  provider: 'github',
  after: 'deny',
  key: 'an RSA key',
  leaf: 'an ECDSA key',
  subject: 'CN=app.example.com',
  reached: '2026-01-01T00:00:00Z',
  asked: '2027-01-01T00:00:00Z',
}

/** The values of messages that use a name in a way of their own. */
const OF_ONE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  control_forbidden: { what: 'Host', received: '"example.com"' },
  nothing_ahead: { what: 'renewal', received: 'rd_0000001abcdefghijklmnopqrst', why: 'it has no certificate' },
  path_not_found: { problem: 'the segment "reserved_domain" is not known' },
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
