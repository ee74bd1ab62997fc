import type { SignedRequest } from './request.ts'

/**
 * The place of a value in a request: a header by its name, an entry of the signature's header by its prefix, or a field of
 * the JSON body by its path. A function computes the value from the request and the values before it.
 */
export type SignaturePlace =
  | string
  | { readonly entry: string }
  | { readonly field: string }
  | ((request: SignedRequest, values: Readonly<Record<string, string>>) => string)

/** A way in which a provider signs its requests. The engine takes the first one whose signature the request has. */
export interface SignatureScheme {
  /** The headers that may have the signature, in lower case, or the field of the JSON body that has it. */
  readonly signature: string | readonly string[] | { readonly field: string }
  /**
   * The algorithm. `sha256` is the plain hash of a string that contains the secret, `token` the secret itself. Default:
   * `hmac-sha256`.
   */
  readonly algorithm?: 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512' | 'sha256' | 'token' | 'ecdsa-p256'
  /** The encoding of the signature. Default: `hex`. */
  readonly encoding?: 'hex' | 'base64'
  /** The text before the signature. An entry without it is not a signature. */
  readonly prefix?: string
  /** The character between the entries of the header. Default: the header is one entry. */
  readonly separator?: ',' | ' '
  /** The time of signing: Unix time in seconds or milliseconds, or an ISO 8601 time. It must be near the gateway's clock. */
  readonly timestamp?: SignaturePlace
  /** True if the timestamp is in seconds alone. */
  readonly isInSeconds?: true
  /** True if a request without the timestamp may pass: the signature covers it, and older requests lack it. */
  readonly isTimestampOptional?: true
  /** More values that the signed text has, in their order. */
  readonly values?: Readonly<Record<string, SignaturePlace>>
  /**
   * The signed text, or the forms that it may have, with `{body}`, `{method}`, `{url}`, `{secret}`, `{timestamp}` and the
   * names of `values`. Default: `{body}`.
   */
  readonly signed?: string | readonly string[]
  /** The form of the secret. Default: `text`. */
  readonly secret?: SecretForm
  /** Returns a problem of the request that the signature does not cover. */
  readonly check?: (request: SignedRequest) => string | undefined
}

/**
 * The form of a secret. `whsec` is base64 after an optional `whsec_`, `api-key` a string after an optional `sk_` or `pk_`,
 * `credentials` a user and a password with `::` between them, `public-key` an SPKI as base64.
 */
export type SecretForm = 'text' | 'base64' | 'whsec' | 'api-key' | 'credentials'

/** The response to a challenge, by which a provider checks that its webhooks arrive. */
export interface ChallengeResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** The scheme of a provider, with the page that documents it. */
export interface Provider {
  /** The address of the page that documents the scheme. */
  readonly page: string
  /** A remark on sources that are missing or disagree. */
  readonly remark?: string
  readonly schemes: readonly SignatureScheme[] | 'certificate'
  /** Returns the response if the request is a challenge. */
  readonly challenge?: (request: SignedRequest, secret: string, isVerified: boolean) => ChallengeResponse | undefined
}
