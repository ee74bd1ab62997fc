import type { SignedRequest } from './request.ts'

/**
 * The location of a value in a request: a header by name, an entry of the signature header by prefix, or a field of the JSON body by path.
 * A function computes the value from the request and earlier values.
 */
export type SignaturePlace =
  | string
  | { readonly entry: string }
  | { readonly field: string }
  | ((request: SignedRequest, values: Readonly<Record<string, string>>) => string)

/** A provider's signing scheme. The engine uses the first scheme whose signature is in the request. */
export interface SignatureScheme {
  /** The lowercase names of the headers that may contain the signature, or the field of the JSON body that contains it. */
  readonly signature: string | readonly string[] | { readonly field: string }
  /**
   * The algorithm. `sha256` is the plain hash of a string that contains the secret, and `token` is the secret itself. Default:
   * `hmac-sha256`.
   */
  readonly algorithm?: 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512' | 'sha256' | 'token' | 'ecdsa-p256'
  /** The encoding of the signature. Default: `hex`. */
  readonly encoding?: 'hex' | 'base64'
  /** The text before the signature. Entries without it are not signatures. */
  readonly prefix?: string
  /** The character between the entries of the header. Omitted if the header is a single entry. */
  readonly separator?: ',' | ' '
  /** The signing time: a Unix time in seconds or milliseconds, or an ISO 8601 time. Must be near the gateway's time. */
  readonly timestamp?: SignaturePlace
  /** True if the timestamp can only be in seconds. */
  readonly isInSeconds?: true
  /** True to accept requests without the timestamp, because the signature covers the timestamp and older requests lack it. */
  readonly isTimestampOptional?: true
  /** Additional values in the signed text, in order. */
  readonly values?: Readonly<Record<string, SignaturePlace>>
  /**
   * The signed text, or its possible forms, with `{body}`, `{method}`, `{url}`, `{secret}`, `{timestamp}`, and the names of `values`.
   * Default: `{body}`.
   */
  readonly signed?: string | readonly string[]
  /** The form of the secret. Default: `text`. */
  readonly secret?: SecretForm
  /** Returns a problem that the signature doesn't detect. */
  readonly check?: (request: SignedRequest) => string | undefined
}

/**
 * The form of a secret. `whsec` is base64 after an optional `whsec_`, `api-key` a string after an optional `sk_` or `pk_`, `credentials` a
 * user and a password separated by `::`, and `public-key` a base64-encoded SPKI.
 */
export type SecretForm = 'text' | 'base64' | 'whsec' | 'api-key' | 'credentials'

/** The response to a challenge. Providers send challenges to check that their webhooks arrive. */
export interface ChallengeResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** A provider's scheme, with the page that documents it. */
export interface Provider {
  /** The URL of the page that documents the scheme. */
  readonly page: string
  /** A note about missing or conflicting sources. */
  readonly remark?: string
  readonly schemes: readonly SignatureScheme[] | 'certificate'
  /** Returns the response if the request is a challenge. */
  readonly challenge?: (request: SignedRequest, secret: string, isVerified: boolean) => ChallengeResponse | undefined
}
