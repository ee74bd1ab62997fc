import type { Decision } from './decisions.ts'
import type { Phase } from './phases.ts'

/** The headers of a message, as their bytes: one character each. Names are in lower case, and a name may have several values. */
export interface HeaderFields {
  /** Returns the values of a header, joined by commas, or undefined if there is none. */
  get(name: string): string | undefined
  /** Returns the values of a header. */
  all(name: string): readonly string[]
  /** Adds a value after the header's existing values. A string that is not valid in a header ends the action. */
  append(name: string, text: string): void
  /** Replaces the values of a header. It accepts the same values as {@link append}. */
  set(name: string, text: string): void
  /** Removes a header. Returns whether the message had it. */
  delete(name: string): boolean
  /** Returns the values of each header, by name. */
  toLists(): Readonly<Record<string, readonly string[]>>
}

/**
 * A request or a response that passes through the gateway. Its body is a stream until an action reads it. A body that cannot
 * be read ends the action.
 */
export interface PolicyMessage {
  readonly headers: HeaderFields
  readonly hasBody: boolean
  /** The length of the body in bytes, according to its header or its bytes; 0 for a stream without such a header. */
  readonly length: number
  /** Reads the whole decoded body, for example without `gzip`. The message keeps it. */
  content(): Promise<Uint8Array>
  /** Replaces the body by a changed one, which has this coding or none, with the headers that depend on its bytes. */
  changeBody(body: Uint8Array | ReadableStream<Uint8Array> | null, coding?: string): void
}

export interface PolicyRequest extends PolicyMessage {
  readonly method: string
  /** The whole URL. `url-rewrite` changes it. */
  url: string
  /** The names of headers that the gateway does not add to it. */
  readonly withheld: Set<string>
}

export interface PolicyResponse extends PolicyMessage {
  readonly status: number
  /** The body as a stream, or null if there is none. */
  readonly stream: ReadableStream<Uint8Array> | null
}

/** A response of the gateway itself. */
export interface OwnResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The error code, for the error code header. The body is then the error's sentence. */
  readonly error?: number
  /** True if the rules for responses run on it, as they do on the response of an upstream. */
  readonly hasResponsePhase?: true
}

/** The end of a visit: a response, or the end of the connection. */
export type Ending = OwnResponse | PolicyResponse | 'close'

/** The result of an action. */
export interface ActionOutcome {
  /** The result in words that continue "The action …", such as `added x-frontend`, without secrets. */
  readonly did: string
  /** The values of its variables, by name. */
  readonly sets?: Readonly<Record<string, unknown>>
  /** The end of the run. */
  readonly ends?: Ending
  /** True if another endpoint decided the end: the action passed the traffic on. */
  readonly isPassedOn?: true
  /** True if the end is a failed check or an error. `enforce: false` and `on_error: continue` let traffic pass all the same. */
  readonly isRefusal?: true
  /** True if the action neither checked nor changed anything, such as a replacement without a match. */
  readonly isIdle?: boolean
  /** The names of the parts of its config that had an effect, for an action that has such parts. */
  readonly parts?: readonly string[]
  /** The facts for traffic events, such as the data of `log`. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** The decision of fauxgate that the result depends on. */
  readonly decision?: Decision | undefined
  /** True if a caller set the values of the variables, so that omitted ones are unknown. */
  readonly isStated?: true
}

/** The pattern of an action. */
export interface Replacer {
  /**
   * Replaces all matches like Go (rules: traffic#replacements). A string that would be too long ends the action.
   */
  replaceAll(text: string, to: string): Replaced
}

/** A pattern in the syntax of RE2. */
export interface Pattern {
  /** The number of instructions of its program. */
  readonly size: number
  test(text: string): boolean
  /** Replaces all matches. `onRead` is called with the number of characters before a search reads them. */
  replaceAll(text: string, to: string, onRead?: (characters: number) => void): Replaced
}

/** A string with all matches of a pattern replaced. */
export interface Replaced {
  readonly text: string
  /** The first 1,000 matches. */
  readonly matches: readonly string[]
  /** The number of matches. */
  readonly count: number
}

/** The settings of a circuit breaker. Durations are in ms. */
export interface BreakerSettings {
  readonly window: number
  readonly buckets: number
  readonly tripped: number
  /** The number of requests in the window from which the breaker can trip. */
  readonly volume: number
  /** The share of errors, from 0 to 1, at which it trips. */
  readonly threshold: number
}

/** The state of a breaker at a request. A breaker that is half open lets one request pass. */
export type BreakerState = 'closed' | 'half open' | 'open'

/** A person who has signed in, and the limits of a session in ms; 0 for none. */
export interface SignIn {
  readonly person: Readonly<
    Record<'provider' | 'provider_url' | 'provider_user_id' | 'username' | 'email' | 'name', string>
  >
  readonly max: number
  readonly idle: number
}

/** The requirements of an endpoint on the TLS of its visitors, by the fields of `terminate-tls`. */
export interface ClientTls {
  readonly min_version?: unknown
  readonly max_version?: unknown
  /** Authorities, each as PEM or as the id of one of the account. */
  readonly mutual_tls_certificate_authorities?: unknown
  readonly mutual_tls_verification_strategy?: unknown
}

/** A request that `http-request` sends. */
export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A response to a request of `http-request`. */
export interface IncomingResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly body: string
}

/** The failure of a request from `http-request`. */
export class SendFailure extends Error {
  constructor(
    /** The number of the error, if the service documents one. */
    readonly number: number | undefined,
    message: string,
    /** The response that does not count as a result, such as a redirect beyond the maximum. */
    readonly response?: IncomingResponse,
  ) {
    super(message)
  }
}

/** The view of an action on the request that its policy runs on. */
export interface Visit {
  readonly phase: Phase
  /** The gateway's time, in ms since 1970. */
  readonly now: number
  /** The address of the visitor. */
  readonly clientIp: string
  readonly request: PolicyRequest
  /** The response, or undefined before there is one. */
  readonly response: PolicyResponse | undefined
  /** The message of an event stream, by field, or undefined in other phases. */
  readonly event: Map<string, string> | undefined
  /** The message of the phase: the response if there is one, else the request. */
  readonly message: PolicyMessage
  /** The identity of a visitor who has signed in, or undefined if the caller gives none. */
  readonly identity: Readonly<Record<string, unknown>> | undefined
  /** Creates an id with a prefix. */
  newId(prefix: string): string
  setVariable(name: string, value: unknown): void
  isInRange(address: string, range: string): boolean
  /** Returns the rules in an IP policy. */
  ipPolicyRules(id: string): readonly { readonly cidr: string; readonly action: 'allow' | 'deny' }[]
  /** Counts a request. Returns after how many seconds it may be retried, or undefined if it is within the capacity. */
  countRequest(name: string, key: readonly unknown[], capacity: number, window: number): number | undefined
  /** Lets a request pass a breaker that is not open. The breaker then learns of its response. Returns the state of the breaker. */
  passBreaker(settings: BreakerSettings): BreakerState
  /** Continues the session of a person, or begins the first one. Returns false if the last one has ended. */
  continueSession(signIn: SignIn): boolean
  /** Ends the session of a person who signs out. */
  endSession(signIn: SignIn): void
  /** Checks the TLS of the visitor. */
  checkTls(required: ClientTls): ActionOutcome
  /** Sends the request on to an internal endpoint. */
  forward(url: string): Promise<ActionOutcome>
  /** Sends a request to an internal endpoint, until a time of the gateway in ms. @throws SendFailure */
  send(request: OutgoingRequest, until: number): Promise<IncomingResponse>
  verifyWebhook(provider: string, secret: string): Promise<ActionOutcome>
  validateJwt(config: object): Promise<ActionOutcome>
  /** Returns a stream that compresses, or undefined if the algorithm does not exist here. */
  compressor(algorithm: string): { readonly readable: ReadableStream; readonly writable: WritableStream } | undefined
}
