import { action, type Field } from '../action.ts'
import { texts } from '../fields.ts'
import { terminatedTls } from '../variables.ts'

const version = (about: string, initial: string): Field => ({
  kind: 'text',
  choices: ['1.2', '1.3'],
  default: initial,
  about,
})

const MUTUAL = ['mutual_tls_certificate_authorities', 'mutual_tls_verification_strategy']

/** The plans that do not include mutual TLS. */
const WITHOUT_MUTUAL_TLS: readonly string[] = ['free', 'hobbyist']

export const terminateTls = action({
  type: 'terminate-tls',
  about: 'Terminates TLS at the gateway, with a certificate and versions of your choice.',
  page: 'terminate-tls',
  phases: ['on_tcp_connect'],
  protocols: ['https', 'tls'],
  config: {
    min_version: version('The minimum TLS version.', '1.2'),
    max_version: version('The maximum TLS version.', '1.3'),
    server_private_key: {
      kind: 'text',
      format: 'private-key',
      takesCel: true,
      isSecret: true,
      about: 'The private key of the certificate, as PEM.',
    },
    server_certificate: { kind: 'text', format: 'certificate', takesCel: true, about: 'The certificate, as PEM.' },
    mutual_tls_certificate_authorities: {
      kind: 'list',
      item: {
        kind: 'text',
        format: 'certificate-or-id',
        takesCel: true,
        about: 'A certificate as PEM, or the ID of a certificate authority.',
      },
      about: 'The certificate authorities whose client certificates are accepted.',
    },
    mutual_tls_verification_strategy: {
      kind: 'text',
      choices: ['require-and-verify', 'require-any', 'request'],
      default: 'require-and-verify',
      about: 'The requirements for client certificates.',
    },
  },
  check(config) {
    const pair = ['server_private_key', 'server_certificate']
    const missing = pair.filter((name) => !isGiven(config[name]))
    const [missed] = missing
    if (missed !== undefined && missing.length === 1) {
      const given = pair.find((name) => name !== missed)
      return [{ number: 2240, path: [missed], message: `is missing. It is required with ${given}` }]
    }
    return config.min_version === '1.3' && config.max_version === '1.2'
      ? [{ number: 2222, path: ['min_version'], message: 'is "1.3", which is above max_version "1.2"' }]
      : []
  },
  paid: { fields: MUTUAL, notOnPlans: WITHOUT_MUTUAL_TLS },
  sets: {
    ...terminatedTls(),
    warnings: texts('The warnings about IDs of certificate authorities.'),
  },
  run: (config, visit) => visit.checkTls(config),
})

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
