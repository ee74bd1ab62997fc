import { freshSecret, type RandomSource, secretSource } from '../engine/random.ts'
import type { SideRecords } from '../engine/stored-records.ts'
import type { AuthoritySecret } from '../generated/options.ts'
import type { Authority } from '../operation/view.ts'
import { authorityOf } from '../x509/authority.ts'

interface AuthorityKeys {
  readonly of: (random: RandomSource) => Authority
  readonly sideRecords: readonly (readonly [name: string, SideRecords])[]
}

export function authorityBy(keys: 'test' | 'fresh' | AuthoritySecret): AuthorityKeys {
  if (keys === 'test') return { of: ({ draw }) => authorityOf('test', draw), sideRecords: [] }
  if (keys !== 'fresh') return { of: always(() => keys.secret), sideRecords: [] }
  const fresh = new FreshSecret()
  return { of: always(() => fresh.secret), sideRecords: [['authority_keys', fresh]] }
}

/** Makes an authority from a secret, the same for every seed. */
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
    const row = rows.get('secret')
    if (row && 'secret' in row && typeof row.secret === 'string') this.#secret = row.secret
  }
}
