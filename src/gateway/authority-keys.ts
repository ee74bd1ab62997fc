import { freshSecret, type RandomSource, secretSource } from '../engine/random.ts'
import type { SideRecords } from '../engine/stored-records.ts'
import type { AuthoritySecret } from '../generated/options.ts'
import type { Authority } from '../operation/view.ts'
import { authorityOf } from '../x509/authority.ts'

/** Where the authority of a gateway comes from, and what of it is kept in a store. */
interface AuthorityKeys {
  readonly of: (random: RandomSource) => Authority
  readonly sideRecords: readonly (readonly [name: string, SideRecords])[]
}

/** The authority by the option `authorityKeys`. Fresh keys come from a secret, which is made when it is first needed. */
export function authorityBy(keys: 'test' | 'fresh' | AuthoritySecret): AuthorityKeys {
  if (keys === 'test') return { of: ({ draw }) => authorityOf('test', draw), sideRecords: [] }
  if (keys !== 'fresh') return { of: always(() => keys.secret), sideRecords: [] }
  const fresh = new FreshSecret()
  return { of: always(() => fresh.secret), sideRecords: [['authority_keys', fresh]] }
}

/** An authority whose keys, and the ECDSA keys of its certificates, nobody can guess. The same for every seed. */
function always(secret: () => string): () => Authority {
  let source: RandomSource | undefined
  const draw: RandomSource['draw'] = (stream, number) => {
    source ??= secretSource(secret())
    return source.draw(stream, number)
  }
  const authority = authorityOf(draw, draw)
  return () => authority
}

class FreshSecret implements SideRecords {
  #secret: string | undefined

  get secret(): string {
    this.#secret ??= freshSecret()
    return this.#secret
  }

  rows(): ReadonlyMap<string, object> {
    return new Map([['secret', { secret: this.secret }]])
  }

  readonly load = (rows: ReadonlyMap<string, object>): void => {
    const kept = rows.get('secret')
    if (kept && 'secret' in kept && typeof kept.secret === 'string') this.#secret = kept.secret
  }
}
