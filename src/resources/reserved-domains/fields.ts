import type { JsonFacts } from '../../schema/documentation.ts'

/** The path of all reserved domains. */
export const PATH = '/reserved_domains'

export const AUTHORITY = 'The public ACME certificate authority that issues the certificates.'
export const KEY_TYPE = 'The type of the keys of the certificates.'
export const DOMAIN =
  'The hostname, exact or with one leading `*.`; it is kept in lower case, and can be reserved once.'
export const REGION = 'A datacenter region; deprecated, as traffic for domains is handled globally.'
export const DEPRECATED: JsonFacts = { deprecated: true }
