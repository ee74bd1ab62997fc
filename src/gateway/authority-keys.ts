import type { SideRecords } from '../core/engine/persistence/stored-records.ts'
import { createSecret, createSecretSource, type RandomSource } from '../core/engine/random.ts'
import type { Authority } from '../core/operation/view.ts'
import type { AuthoritySecret } from '../generated/options.ts'
import { createSshAuthority } from '../service/ssh/authority.ts'
import { createAuthority } from '../service/x509/authority.ts'
import type { CertificateOrder, IssuedCertificate, IssuingAuthority } from '../service/x509/order.ts'

/** The store collection with the secret for `authorityKeys: 'fresh'`. */
export const FRESH_KEYS = 'authority_keys'

interface AuthorityKeys {
  /** Returns a gateway's authority, given its random source. Only the authority with the test keys depends on this source. */
  readonly authorityFor: (random: RandomSource) => Authority
  /** The records that store fresh keys. */
  readonly sideRecords: readonly (readonly [name: string, SideRecords])[]
}

/** The hook for the test authority, which `survives` uses to cache certificates for gateways with the same seed. */
export interface IssueHooks {
  /** Called for each automatic certificate. If the hook is absent or returns undefined, the authority issues the certificate. */
  issue?: ((order: CertificateOrder, issue: IssuingAuthority['issue']) => IssuedCertificate) | undefined
}

export function createAuthorityKeys(keys: 'test' | 'fresh' | AuthoritySecret, hooks: IssueHooks): AuthorityKeys {
  if (keys === 'test')
    return { authorityFor: ({ draw }) => addHook(createWholeAuthority('test', draw), hooks), sideRecords: [] }
  if (keys !== 'fresh') return { authorityFor: authorityFromSecret(() => keys.secret), sideRecords: [] }
  const fresh = new FreshSecret()
  return { authorityFor: authorityFromSecret(() => fresh.secret), sideRecords: [[FRESH_KEYS, fresh]] }
}

/** Creates an X.509 authority that also creates SSH keys and certificates. */
function createWholeAuthority(...[keys, draw]: Parameters<typeof createAuthority>): IssuingAuthority {
  return Object.assign(createAuthority(keys, draw), { ssh: createSshAuthority(draw) })
}

function addHook(authority: IssuingAuthority, hooks: IssueHooks): IssuingAuthority {
  const { issue } = authority
  return Object.assign(authority, { issue: (order: CertificateOrder) => hooks.issue?.(order, issue) ?? issue(order) })
}

/** Creates the function that returns the authority for a secret, whatever the seed. */
function authorityFromSecret(secret: () => string): () => Authority {
  let source: RandomSource | undefined
  const draw: RandomSource['draw'] = (stream, number) => {
    source ??= createSecretSource(secret())
    return source.draw(stream, number)
  }
  const authority = createWholeAuthority(draw, draw)
  return () => authority
}

/** A new secret for each gateway, which a store keeps as a side record. */
class FreshSecret implements SideRecords {
  #secret: string | undefined

  get secret(): string {
    this.#secret ??= createSecret()
    return this.#secret
  }

  rows(): ReadonlyMap<string, object> {
    return new Map([['secret', { secret: this.secret }]])
  }

  load(rows: ReadonlyMap<string, object>): void {
    const row = rows.get('secret')
    if (row && 'secret' in row && typeof row.secret === 'string') this.#secret = row.secret
  }
}
