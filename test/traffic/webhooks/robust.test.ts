import fc from 'fast-check'
import { describe, it } from 'vitest'
import { providers, verifyWebhook } from '../../../src/traffic/webhooks/index.ts'
import { anyText, checkAsync } from '../../support/property.ts'

const junk = fc.oneof(
  fc.string(),
  fc.base64String(),
  fc.constantFrom(
    'v1=',
    't=1,v1=',
    'v1,',
    'sha256=',
    'sha256=zz',
    'HMAC ',
    'Basic ',
    'sign=,env=,t=',
    '-1',
    '1e400',
    'NaN',
  ),
)

/** A secret that no stranger sends, and which some providers cannot read. */
const secrets = junk.map((text) => `secret/${text}`)

const body = fc.oneof(
  fc.uint8Array(),
  fc
    .oneof(
      fc.json(),
      fc.constantFrom(
        '{"signature":{"signature":1,"timestamp":"x","token":null}}',
        '{"events":[]}',
        '{"event":"endpoint.url_validation","payload":null}',
        '{"Type":"Notification","SigningCertURL":"https://sns.a.amazonaws.com/"}',
        '{"Type":"constructor"}',
      ),
    )
    .map((text) => new TextEncoder().encode(text)),
)

/** An address with any path and query. `fc.webUrl` makes a table of all characters, which takes a second. */
const url = fc
  .tuple(anyText(20), anyText(20))
  .map(([path, query]) => `https://hooks.example.com/${encodeURIComponent(path)}?${encodeURIComponent(query)}`)

describe('webhooks of strangers', () => {
  it.each([...providers])('never get through or throw, whatever they send: %s', async (provider, { schemes }) => {
    const places =
      schemes === 'certificate' ? [] : schemes.flatMap((scheme) => [scheme.signature, scheme.timestamp ?? []])
    const names = places.flat().filter((place) => typeof place === 'string')
    const headers = fc.record(Object.fromEntries(names.slice(0, 6).map((name) => [name, junk])), { requiredKeys: [] })
    await checkAsync(
      fc.asyncProperty(headers, body, url, secrets, async (sent, bytes, at, secret) => {
        const request = { method: 'POST', url: at, headers: toHeaders(sent), readBody: async () => bytes }
        const verdict = await verifyWebhook(request, {
          provider,
          secret,
          now: 0,
          readUrl: async () => 'no certificate',
        })
        return 'challenge' in verdict ? provider === 'xero' && verdict.challenge.status === 401 : !verdict.verified
      }),
      { numRuns: 60 },
    )
  })
})

/** Returns headers with the characters that a header may have. */
function toHeaders(sent: Readonly<Record<string, string | undefined>>): Headers {
  const entries = Object.entries(sent).map(([name, value]) => [name, (value ?? '').replace(/[^\x20-\x7e]/g, '?')])
  return new Headers(Object.fromEntries(entries))
}
