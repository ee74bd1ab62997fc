import type { FieldValues } from './values.ts'

/** A string that a service may truncate, escape, or normalize. */
export const texts = { description: '{mark} “é” 🔑 <&> ', metadata: '{"run": "{mark}"}\n' }
/** The names of the two resources in families with unique names. */
export const [first, second, third] = ['{mark}-a', '{mark}-b', '{mark}-c']
/** Public keys. Their private keys do not exist. */
export const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEH3IY4s2cSOuKj63wdOpGLQRkEbBGYbddAi683q3ewX ci@example.com'
export const OTHER_SSH_KEY =
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBOCDj8XJev8zs3xLCS9lD+DThuxyUgLEFgSO9Krs05Zp3xzBV1i4vV/CPPvM3WSIUEEN2yhn/dZ/cIbeNYGOzrU= ci@example.com'
export const THIRD_SSH_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEcNj9xvfzJ72vWwInOdH6plKLrl77AAyjisHO2WdQit ci@example.com'
/** A CSR. Its private key does not exist. */
export const CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIHUMHwCAQAwGjEYMBYGA1UEAwwPZmF1eGdhdGUtdmVyaWZ5MFkwEwYHKoZIzj0C
AQYIKoZIzj0DAQcDQgAEtymNsVSBsKfVsJqiv4IbavTqh2x4H//hVdMPEG7tFfav
HCkBvl7lICE4Ise53lGVtBl8pM1Zhw5+KX+rPzmDbaAAMAoGCCqGSM49BAMCA0gA
MEUCIQCsdwf0L8vozIJOdNCp3IPdkAdA0IZvb8KbTZp0Wv2kAgIgVIRvwSDxI/v4
I9D5sGdijBotglgENxuxa5xr5IBuBwg=
-----END CERTIFICATE REQUEST-----
`
/** The default root certificate of gateways. */
export const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBwjCCAWmgAwIBAgIQd3Owi6Z4BqSfq0VbUeF2pTAKBggqhkjOPQQDAjAwMREw
DwYDVQQKDAhmYXV4Z2F0ZTEbMBkGA1UEAwwSZmF1eGdhdGUgdGVzdCByb290MCAX
DTcwMDEwMTAwMDAwMFoYDzk5OTkxMjMxMjM1OTU5WjAwMREwDwYDVQQKDAhmYXV4
Z2F0ZTEbMBkGA1UEAwwSZmF1eGdhdGUgdGVzdCByb290MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEpFQiLYBu4waal23rAUQLitX3RW+dRv6wuQFH6onYTUqM592E
zMWJe49oB2/tQKgyi8f5YckqeWXRDHphKL+CjqNjMGEwDwYDVR0TAQH/BAUwAwEB
/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFDdzsIumeAakn6tFW1HhdqWLFzTx
MB8GA1UdIwQYMBaAFDdzsIumeAakn6tFW1HhdqWLFzTxMAoGCCqGSM49BAMCA0cA
MEQCIHDa10jFBsG3ynzB1RlONLzIuIsBQlM3DXPfIaygk2paAiA6DAhPIb89dvCV
UNkpeTYM57cBlkQs6Qh6nXsAZATvsg==
-----END CERTIFICATE-----
`
/** Values that must be unique among resources, each with a replacement, in JSON. */
const OTHER_VALUES = [
  ['{mark}-a', '{mark}-d'],
  ['192.0.2.0', '203.0.113.0'],
  [SSH_KEY, THIRD_SSH_KEY],
  ['"type":"agent"', '"type":"api"'],
] as const

/** Returns a body with a unique name. */
export function withOtherNames<Body extends object>(body: Body): Body {
  const change = (json: string, [from, to]: readonly [string, string]) => json.replaceAll(from, to)
  return JSON.parse(OTHER_VALUES.reduce(change, JSON.stringify(body)))
}

const ROLE = 'arn:aws:iam::123456789012:role/fauxgate'
const arn = (kind: string, name: string) => `arn:aws:${kind}:us-east-1:123456789012:${name}`

/** The values of fields that have the same meaning in all families. */
export const FIELD_VALUES: FieldValues = {
  description: [texts.description, '{mark} changed '],
  metadata: [texts.metadata, '{mark}-changed\n'],
  enabled: [false],
  // Not in creation order.
  ip_policy_ids: [['{other_policy}', '{policy}'], ['{other_policy}']],
  certificate_authority_ids: [['{authority}']],
  email_addresses: [['b@example.com', 'a@example.com'], ['c@example.com']],
  issuer: ['https://issuer.example.com', 'https://other.example.com/a'],
  idp_metadata: ['<EntityDescriptor/>', null],
  idp_metadata_url: [null, 'https://idp.example.com/metadata'],
  teams: [['2', '1'], ['an-organization/a-team']],
  authority: ['letsencrypt'],
  auth_provider_id: ['agent'],
  tripped_duration: [10, 20],
  rolling_window: [10, 20],
  num_buckets: [10, 5],
  error_threshold_percentage: [0.25, 0.5],
  add: [{ 'X-One': '1', 'x-two': '2' }, { 'x-three': '3' }],
  remove: [['X-Two', 'x-one'], ['x-four']],
  email_domains: [['example.org', 'example.com'], ['example.net']],
  role_arn: [ROLE, `${ROLE}-2`],
  stream_arn: [arn('kinesis', 'stream/one'), arn('kinesis', 'stream/two')],
  delivery_stream_arn: [arn('firehose', 'deliverystream/one')],
  log_group_arn: [arn('logs', 'log-group:one')],
  logs_ingestion_uri: ['https://logs.example.com'],
}
