import { createSecureContext, type SecureContext } from 'node:tls'
import type { ServerCertificate } from '../../control/authority.ts'
import { readClock } from '../../core/engine/clock.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { ReservedDomain } from '../../generated/resources.ts'
import { isDnsName } from '../../service/provisioning/dns.ts'
import { defaultCertificateName, isServiceDomain } from '../../service/resources/reserved-domains/dialect.ts'

const DAY_MS = 86_400_000

/** The maximum number of cached contexts, because clients can request any number of names. */
const MAX_CONTEXTS = 1000

/** The certificates of the port with TLS. */
interface Certificates {
  /**
   * Returns the certificate for the host name that a client sends: the current certificate of the reserved domain. If there is no such
   * domain, or if it has no certificate yet, returns the default certificate, which is for another name (rules: traffic#certificate).
   */
  readonly forName: (name: string) => Promise<SecureContext>
  /** Issues the certificate for clients that do not send a name. */
  readonly issueOwn: () => ServerCertificate
}

/** Creates the certificates for the port with TLS. Contexts are cached by certificate, so a renewal takes effect at the next handshake. */
export function createCertificates(gateway: Gateway): Certificates {
  const contexts = new Map<string, SecureContext>()
  const keep = (key: string, make: () => ServerCertificate) => {
    const kept = contexts.get(key)
    if (kept) return kept
    const { certificate_pem, private_key_pem } = make()
    const context = createSecureContext({ cert: certificate_pem, key: private_key_pem })
    if (contexts.size >= MAX_CONTEXTS) contexts.clear()
    contexts.set(key, context)
    return context
  }
  const issueOwn = () => gateway.authority.serverCertificate({ names: ['localhost'] })
  const forName = async (sent: string) => {
    const { hostname: name } = new URL(await gateway.transport.locate(sent, ['https']))
    // The service renews its own certificates.
    const keepForDay = (own: string) => {
      const day = Math.floor(readClock(gateway.clock) / DAY_MS)
      return keep(`${day} ${own}`, () => gateway.authority.serverCertificate({ names: [own] }))
    }
    if (isServiceDomain(gateway.dialect, name)) return keepForDay(sent)
    const id = findDomain(gateway, name)?.certificate?.id
    if (id === undefined) return keepForDay(defaultCertificateName(gateway.dialect))
    if (name === sent.toLowerCase()) return keep(id, () => readCertificate(gateway, id))
    // Browsers ask for a name below localhost. No domain's certificate covers such a name.
    const { not_before, not_after } = gateway.tlsCertificates.get(id)
    return keep(`${id} ${sent}`, () =>
      gateway.authority.serverCertificate({ names: [sent], notBefore: not_before, notAfter: not_after }),
    )
  }
  return { forName, issueOwn }
}

function readCertificate(gateway: Gateway, id: string): ServerCertificate {
  const { certificate_pem } = gateway.tlsCertificates.get(id)
  return { certificate_pem, private_key_pem: gateway.authority.privateKeyPem(id) }
}

/**
 * Returns the reserved domain for a name: the name itself, or else a wildcard that covers it. A single label means the first domain
 * that begins with it.
 */
function findDomain({ reservedDomains }: Gateway, name: string): ReservedDomain | undefined {
  if (!isDnsName(name)) return undefined
  const find = (filter: string) => reservedDomains.list({ filter }).reserved_domains.at(-1)
  const [, above = ''] = name.split(/\.(.*)/)
  const exact = find(`obj.domain == "${name}"`) ?? find(`obj.domain == "*.${above}"`)
  return exact ?? (above === '' ? find(`obj.domain.startsWith("${name}.")`) : undefined)
}
