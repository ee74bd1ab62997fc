import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { general } from '../../core/schema/general-errors.ts'
import { integerFrom, optionsOf } from '../../core/schema/options.ts'
import { rule } from '../../core/schema/rule.ts'
import { anyObject } from '../../core/schema/schema.ts'
import { ipBytes } from '../../service/x509/ip.ts'
import { readCertificates } from '../../service/x509/uploads.ts'
import { DEFAULT_IP, type Identity, type Visitor } from '../../traffic/visitor.ts'

const ip = v.pipe(
  v.string(),
  rule([], (text, report) => {
    if (!ipBytes(text)) report(general.field_invalid, { allowed: 'an address such as "203.0.113.9" or "2001:db8::1"' })
  }),
)
const country = v.pipe(v.string(), v.regex(/^[A-Z]{2}$/, 'a two-letter country code, such as "DE"'))

const certificate = v.pipe(
  v.string(),
  rule([], (text, report) => {
    try {
      readCertificates(text)
    } catch {
      report(general.field_invalid, {
        allowed: 'a certificate as PEM, optionally followed by its intermediate certificates',
      })
    }
  }),
)

/** The schema of a visitor. */
export const visitor = named(
  v.object({
    ip: v.exactOptional(documented(ip, `The address. Default: \`${DEFAULT_IP}\`.`)),
    country: v.exactOptional(documented(country, 'The country of the address: a two-letter code, such as `DE`.')),
    insecure: v.exactOptional(
      documented(
        v.boolean(),
        'True to accept any certificate, like `curl --insecure`. Default: the visitor rejects expired certificates and certificates for ' +
          'other names.',
      ),
    ),
    certificate: v.exactOptional(
      documented(
        certificate,
        'The client certificate that the visitor presents for mutual TLS, as PEM, optionally followed by ' +
          'intermediate certificates. Default: none.',
      ),
    ),
    identity: v.exactOptional(
      documented(anyObject<Identity>(), 'The identity of a visitor who has signed in. Default: not signed in.'),
    ),
    facts: v.exactOptional(
      documented(anyObject(), 'Other variables by path, such as `{ "conn.client_ip.is_tor_node": true }`.'),
    ),
    actions: v.exactOptional(
      documented(
        anyObject<NonNullable<Visitor['actions']>>(),
        'The results of actions that the gateway does not carry out, by type.',
      ),
    ),
  }),
  'Visitor',
  'A visitor: the facts that only a real network would know.',
)

const text = v.exactOptional(v.nullable(v.string()))

/** The schema of a traffic journal filter. An unknown name is an error, because the filter would silently match nothing. */
export const trafficFilter = optionsOf(
  {
    method: text,
    url: text,
    status: v.exactOptional(v.nullable(integerFrom(100, 599))),
    endpoint: text,
    upstream: text,
    rule: text,
    error: text,
  },
  'a predicate, or an object with method, url, status, endpoint, upstream, rule, and error',
)

/** The number of requests that an upstream responds to. */
export const times = v.exactOptional(
  documented(integerFrom(1), 'The number of requests that receive this response. Default: all.'),
)

export const upstreamOptions = optionsOf({ times })
