import type { Expressions } from '../service/policy/cel/expression.ts'
import type { ActionOutcome, ClientTls, IncomingResponse, OutgoingRequest } from '../service/policy/visit.ts'
import type { CompiledPolicy } from './compile.ts'
import type { KnownSecrets } from './exchange.ts'
import type { KeyCache } from './jwt/index.ts'
import type { VisitorRequest } from './message.ts'
import type { Reader } from './reader.ts'
import type { TlsFailure } from './tls-failure.ts'
import type { TracedRule, TracedStep } from './trace.ts'
import type { TrafficHost } from './traffic-host.ts'
import type { VisitMeter } from './visit-meter.ts'
import type { Visitor } from './visitor.ts'

/** The facts and tools shared by all endpoints of a visit. */
export interface VisitContext {
  readonly host: TrafficHost
  readonly reader: Reader
  readonly visitor: Visitor
  /** True if the request came through a port, in which case the visitor has already seen the certificate. */
  readonly isServed: boolean
  /** The supplied facts, by variable path. */
  readonly facts: ReadonlyMap<string, unknown>
  /** The URL as sent by the visitor. */
  readonly sentUrl: string
  /** The request's arrival time, in ms since the Unix epoch. */
  readonly startedAt: number
  readonly trace: (TracedRule | TracedStep)[]
  /** The reason that the visitor's TLS makes the gateway close the connection, if it does. */
  readonly closing: { cause?: TlsFailure }
  readonly secrets: KnownSecrets
  readonly signal: AbortSignal | undefined
  /** Counts the bytes of the visit. Undefined if the counts are not needed. */
  readonly meter: VisitMeter | undefined
}

/** The policies and expressions that have been compiled, and the keys that have been read. */
export interface Compiled {
  readonly expressions: Expressions
  /** The keys of token issuers. */
  readonly keys: KeyCache
  readonly policies: WeakMap<object, CompiledPolicy>
}

/** The whole visit, from the perspective of one endpoint. */
export interface WholeVisit {
  readonly context: VisitContext
  readonly compiled: Compiled
  /** Forwards a request to an internal endpoint, whose own policy then runs. */
  forward(url: string, request: VisitorRequest): Promise<ActionOutcome>
  /** Sends an `http-request` request to an internal endpoint, with a deadline in ms on the gateway's clock. @throws SendFailure */
  send(request: OutgoingRequest, until: number): Promise<IncomingResponse>
  /** Checks the visitor's TLS, which is available only at the first endpoint. */
  checkTls(required: ClientTls): ActionOutcome
  /** Returns the text at a URL that the test serves as an upstream, such as a JWKS document. */
  readUrl(url: string): Promise<string>
}
