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

/** The facts and tools that all endpoints of a visit share. */
export interface VisitContext {
  readonly host: TrafficHost
  readonly reader: Reader
  readonly visitor: Visitor
  /** True if the request came through a port, where the visitor itself has seen the certificate. */
  readonly isServed: boolean
  /** The given facts, by the paths of variables. */
  readonly facts: ReadonlyMap<string, unknown>
  /** The URL as the visitor sent it. */
  readonly sentUrl: string
  /** The time at which the request arrived, in ms since 1970. */
  readonly startedAt: number
  readonly trace: (TracedRule | TracedStep)[]
  /** The reason for which the gateway closes the connection, if it is the TLS of the visitor. */
  readonly closing: { cause?: TlsFailure }
  readonly secrets: KnownSecrets
  readonly signal: AbortSignal | undefined
  /** Counts the bytes of the visit; undefined if nobody needs them. */
  readonly meter: VisitMeter | undefined
}

/** The policies and expressions that were compiled before, and the keys that were read. */
export interface Compiled {
  readonly expressions: Expressions
  /** The keys of issuers of tokens. */
  readonly keys: KeyCache
  readonly policies: WeakMap<object, CompiledPolicy>
}

/** The whole visit, as its part at one endpoint sees it. */
export interface WholeVisit {
  readonly context: VisitContext
  readonly compiled: Compiled
  /** Sends a request on to an internal endpoint, whose own policy runs. */
  forward(url: string, request: VisitorRequest): Promise<ActionOutcome>
  /** Sends a request of `http-request` to an internal endpoint, until a time of the gateway in ms. @throws SendFailure */
  send(request: OutgoingRequest, until: number): Promise<IncomingResponse>
  /** Checks the TLS of the visitor, which only the endpoint that it came to has. */
  checkTls(required: ClientTls): ActionOutcome
  /** Returns the text at a URL that the test serves as an upstream, such as a JWKS document. */
  readUrl(url: string): Promise<string>
}
