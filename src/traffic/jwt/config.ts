/** The location of a token in a request. */
export interface TokenSource {
  readonly method: string
  /** The name of the header or of the body field. Case is ignored. */
  readonly name: string
  readonly prefix?: string
}

interface AllowList {
  readonly allow_list: readonly { readonly value: string }[]
}

/** The documentation's tables show lists, but its examples show single items. */
type OneOrMore<T> = T | readonly T[]

interface Keys {
  readonly sources: OneOrMore<{ readonly additional_jkus: readonly string[] }>
}

/** The `jwt-validation` config, which the policy check has already validated. */
interface Config {
  readonly issuer: AllowList
  readonly audience?: Partial<AllowList>
  readonly http: { readonly tokens: readonly TokenSource[] }
  readonly jws: { readonly allowed_algorithms: readonly string[]; readonly keys: OneOrMore<Keys> }
}

/** The requirements for tokens, and the locations of tokens and keys. */
export interface Requirements {
  readonly issuers: readonly string[]
  /** Undefined to accept any audience. */
  readonly audiences: readonly string[] | undefined
  readonly sources: readonly TokenSource[]
  readonly algorithms: readonly string[]
  /** The URLs of JWKS documents, in the order in which their keys are tried. */
  readonly jwksUrls: readonly string[]
}

/** Reads a config that the policy check has already validated. */
export function readRequirements(checked: unknown): Requirements {
  const { issuer, audience, http, jws } = checked as Config // The policy check has already read the config.
  const toValues = (list: AllowList['allow_list']) => list.map(({ value }) => value)
  return {
    issuers: toValues(issuer.allow_list),
    audiences: audience?.allow_list && toValues(audience.allow_list),
    sources: http.tokens,
    algorithms: jws.allowed_algorithms,
    jwksUrls: [jws.keys]
      .flat()
      .flatMap(({ sources }) => [sources].flat().flatMap(({ additional_jkus }) => additional_jkus)),
  }
}
