import { isObject } from '../../core/schema/values.ts'

/** The place of a token in a request. */
export interface TokenSource {
  readonly method: string
  /** The name of the header, or of the field of the body, in letters of either case. */
  readonly name: string
  readonly prefix?: string
}

interface AllowList {
  readonly allow_list: readonly { readonly value: string }[]
}

/** The config of `jwt-validation`. The check of the policy has read all but the sources of its keys. */
interface Config {
  readonly issuer: AllowList
  readonly audience?: Partial<AllowList>
  readonly http: { readonly tokens: readonly TokenSource[] }
  readonly jws: { readonly allowed_algorithms: readonly string[]; readonly keys: unknown }
}

/** The requirements on tokens, and the places of tokens and keys. */
export interface Requirements {
  readonly issuers: readonly string[]
  /** Undefined if tokens may be for any audience. */
  readonly audiences: readonly string[] | undefined
  readonly sources: readonly TokenSource[]
  readonly algorithms: readonly string[]
  /** The URLs of JWKS documents, in the order in which their keys are tried. */
  readonly jwksUrls: readonly string[]
}

/** Reads a config whose form the check of the policy has read. */
export function readRequirements(checked: unknown): Requirements {
  const { issuer, audience, http, jws } = checked as Config // The check of the policy has read it.
  const toValues = (list: AllowList['allow_list']) => list.map(({ value }) => value)
  return {
    issuers: toValues(issuer.allow_list),
    audiences: audience?.allow_list && toValues(audience.allow_list),
    sources: http.tokens,
    algorithms: jws.allowed_algorithms,
    jwksUrls: readUrls(jws.keys),
  }
}

/** Returns the URLs of keys. The documentation has `keys` and `sources` as lists, and in examples as objects. */
function readUrls(keys: unknown): string[] {
  const members = (value: unknown, name: string) => [value].flat().flatMap((it) => (isObject(it) ? [it[name]] : []))
  return members(keys, 'sources')
    .flatMap((sources) => members(sources, 'additional_jkus'))
    .flat()
    .filter((url): url is string => typeof url === 'string')
}
