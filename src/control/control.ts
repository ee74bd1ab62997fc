import * as v from 'valibot'
import type { Clock } from '../core/engine/clock.ts'
import type { Engine } from '../core/engine/engine.ts'
import type { Collection } from '../core/operation/collection.ts'
import type { ErrorsByKey, Families, Family } from '../core/operation/family.ts'
import type { Method, Operation, PathIds } from '../core/operation/operation.ts'
import type { Transaction } from '../core/operation/transaction.ts'
import { bodyReader, requireJsonObject } from '../core/schema/body.ts'
import { type CatalogueError, declareErrors, entry } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { listErrors } from '../core/schema/schema-parts.ts'
import type { Snapshot } from '../generated/controls.ts'
import type { Dialect } from '../service/resources/dialects.ts'
import type { AgentState } from './agent/state.ts'
import { type ControlLog, isChange } from './control-log.ts'
import type { GatewayHost } from './gateway-host.ts'
import type { Journal } from './journal/journal.ts'
import type { OtherRequests } from './journal/other-requests.ts'
import type { SavedSnapshots } from './saved-snapshots.ts'
import type { SentEventLog } from './sent-events/log.ts'
import type { TrafficState } from './traffic/state.ts'

/** Adds members to a gateway, or to a member such as `gateway.dns`. */
interface MemberSource<Members = unknown> {
  /** Returns the members that the control adds to the direct API. */
  readonly members?: (host: ControlHost) => Members
}

/** A part of a gateway that a test controls: the clock, the DNS zone, faults, … */
export interface Control<Members extends object = object, Errors extends ErrorsByKey = Record<never, never>>
  extends MemberSource<Members> {
  /** The HTTP calls; a function if they depend on the gateway's families. */
  readonly calls: readonly ControlCall[] | ((families: Families) => readonly ControlCall[])
  /** The schemas of the members' arguments, from which types are generated. */
  readonly types?: readonly v.GenericSchema[]
  readonly errors?: Errors
  /** Returns the control's collections in the gateway's state. */
  readonly state?: (api: Api) => Omit<Family, 'operations' | 'errors'>
}

type MembersOf<C extends MemberSource> = Intersection<
  C extends { members?(...args: never[]): infer Members } ? Members : never
>

/**
 * Infers the type of all members that controls or calls add, with their documentation. Only the type is used; the value is always
 * undefined. The inferred type keeps internals out of the published declarations. Call this function in the members' file, because
 * declarations don't include documentation from other files.
 */
export function membersOf<C extends MemberSource>(_sources: readonly C[]): MembersOf<C> | undefined {
  return undefined
}

/** Returns all members that controls or calls add. */
export function createMembers<C extends MemberSource>(sources: readonly C[], host: ControlHost): MembersOf<C> {
  // `MembersOf` is the intersection of the members of all sources.
  return Object.assign({}, ...sources.map(({ members }) => members?.(host)))
}

export type AnyControl = Control<object, ErrorsByKey>

export type ErrorKeysOf<C extends AnyControl> = C extends { readonly errors?: infer Errors } ? keyof Errors : never

/** The intersection of a union's types. */
export type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** The operations of a gateway. */
export interface Api {
  readonly operations: readonly Operation[]
  /** Returns the operations at a path under the base URL, by method, and the IDs in the path, or undefined for an unknown path. */
  routeAt(path: string): { readonly methods: ReadonlyMap<string, Operation>; readonly ids: PathIds } | undefined
}

/** The hook for calls that drop pending faults, outcomes, or requests. It shows a fixture which of these were unused. */
export interface DropHooks {
  /** Receives the call's name and its work, and must run the work once. Without a hook, the work simply runs. */
  drop?: ((call: 'reset()' | 'restore()' | 'requests.clear()', work: () => void) => void) | undefined
}

/** The hook of a fixture that has put the timers of the code under test on the gateway's clock. */
export interface TimerHooks {
  /** Returns why no request has arrived. The result is empty if one is in transit, and undefined if the fixture knows no reason. */
  explainNoRequests?: (() => string | undefined) | undefined
}

/** A host that runs clock moves in parts, because other gateways share its thread. Without a host, a move is synchronous. */
export interface MoveParts {
  /** The maximum working time of one move in ms, excluding pauses. */
  readonly maxWorkMs: number
  /** Runs a move. Other calls reach the gateway only after the response to the move. */
  run(move: () => Promise<void>): Promise<void>
  /** Starts a part of a move. The returned function is called after each event, and returns true when the part is over. */
  start(): () => boolean
  /** Yields to the other gateways on the thread. */
  pause(): Promise<void>
  /** Returns whether a move may have no more parts, given the number of parts so far. */
  isLast(parts: number): boolean
  /** Lets other gateways run before a move with several parts commits, and reserves time for the commit. */
  pauseBeforeCommit(parts: number): Promise<void>
}

/** The functions that the gateway's environment sets for controls. */
export interface ControlHooks extends TimerHooks {
  /** Runs clock moves that are requested over HTTP in parts. */
  moveParts?: MoveParts | undefined
  /** The server that can host additional gateways. */
  gatewayHost?: GatewayHost | undefined
}

/**
 * The parts of a gateway that its controls use. It has no accessors. In V8, accessors in an object literal create a hidden class per
 * gateway, and the class keeps the gateway in memory until a full garbage collection.
 */
export interface ControlHost {
  readonly api: Api
  /** Lists the errors of the families' rules for API keys, and for requests to all operations. */
  listErrorsOfRules(): readonly CatalogueError[]
  readonly clock: Clock
  readonly engine: Engine
  /** The collections of resources, including those from the gateway's own families. */
  readonly collections: readonly Collection<object>[]
  readonly snapshots: SavedSnapshots
  /** True if requests need one of the gateway's own API keys. */
  readonly hasKeys: boolean
  /** Runs work as one transaction, after all events that are due by now. */
  transact<T>(work: (tx: Transaction) => T): T
  reset(): void
  snapshot(withPrivateKeys: boolean): Snapshot
  /** Replaces the state, and discards all undo states. An undo (`isUndo`) discards only the state that it restores. */
  restore(snapshot: unknown, isUndo?: boolean): void
  /** Empties the journal and the list of requests to other hosts. */
  clearRequests(): void
  readonly hooks: ControlHooks
  /** Returns the gateway's time when it was loaded from a store, or undefined if the gateway started empty or has been reset. */
  continuedAt(): string | undefined
  /** Resolves when the store has flushed all commits. Rejects with a `Refusal` if the store has lost any. */
  flushed(): Promise<void>
  readonly journal: Journal
  readonly controlLog: ControlLog
  /** The requests sent to other hosts through the global `fetch`. */
  readonly otherRequests: OtherRequests
  /** The most recent transition of each domain on the earlier server, if this server resumed its state. */
  readonly earlierTransitions: WeakSet<object>
  /** The visitor requests that went through the gateway. */
  readonly traffic: TrafficState
  readonly agent: AgentState
  /** The events of the account, or undefined for a dialect without events. */
  readonly events: SentEventLog | undefined
  /** Returns a string without the gateway's own keys and without private keys. */
  withoutKeys(text: string): string
  /** The resources that were created and not deleted since the initial state. */
  leftovers(options?: { readonly ofTest?: boolean }): readonly { readonly family: string; readonly id: string }[]
  /** Runs a call made by the test. Resources that it creates are not leftovers of the code under test. */
  ofTest<T>(work: () => T): T
  readonly dialect: Dialect
  /** The families that were passed to `createGateway`. */
  readonly families: Families
  /** Creates the text of an OpenAPI document. Undefined until a server calls `transport.describedBy`. */
  describer: ((...args: Parameters<Describer>) => string) | undefined
}

/** A function that creates an OpenAPI document, such as `openApi` from `fauxgate/openapi`. */
export type Describer = (
  dialect: Dialect,
  options: {
    readonly families: Readonly<Record<string, { readonly operations: object }>>
    readonly url: string
    readonly part: DescribedPart
  },
) => object

export type DescribedPart = 'service' | 'controls'

/** A command of `fauxgate` that makes a call to a running server. `Field` is a field of the call's input. */
export interface CallCommand<Field extends string = string> {
  /** One or two words, such as `clock advance`. */
  readonly name: string
  /** The command's summary. Default: the call's summary. */
  readonly summary?: string
  /**
   * The fields that positional arguments set, in order, with their placeholders in the help. A list takes all remaining arguments. Brackets
   * mark an optional argument.
   */
  readonly words?: { readonly [Name in Field]?: string }
  /** The fields whose values the command sets itself. */
  readonly fixedFields?: { readonly [Name in Field]?: unknown }
  /** The fields that flags can set. Default: all other fields. */
  readonly flags?: readonly Field[]
  /** The arguments and flags of an example. */
  readonly example?: string
  /** Additional sentences for the help. */
  readonly notes?: readonly string[]
}

/** One call to a control, defined once: the direct API, the control API over HTTP, and the commands are derived from it. */
export interface ControlCall<Result = unknown, Members = unknown> extends MemberSource<Members> {
  readonly method: Method
  /** The path under `/_fauxgate`. */
  readonly path: string
  readonly summary: string
  /** The commands that make this call. */
  readonly commands?: readonly CallCommand[]
  /** The location of the input over HTTP. */
  readonly from: 'body' | 'query' | 'nothing'
  /** The schema of the input; absent if there is none, or if the call reads it itself. */
  readonly schema?: v.GenericSchema
  /** The schema of the result; absent if there is none. */
  readonly response?: v.GenericSchema
  /** The errors of `run`, in addition to those of every call and of the schema. */
  readonly errors?: readonly CatalogueError[]
  /** True if the call reads stored records. Its errors then include those of the records' schemas. */
  readonly readsRecords?: true
  /** The maximum body size in bytes. Default: 1 MiB. */
  readonly maxBytes?: number
  /** The media type of a string result. By default, the result is sent as JSON. */
  readonly mediaType?: string
  /** `signal` aborts when the client disconnects, for work that waits. */
  readonly run: (host: ControlHost, raw: unknown, signal?: AbortSignal) => Result
}

/** The names of all fields in any form of the input. */
type FieldOf<Input> = Input extends unknown ? keyof Input & string : never

/** Creates a call that parses its input with its schema. The control log records the call if it changed something. */
export function controlCall<S extends v.GenericSchema, Result, Members>(
  definition: Omit<ControlCall, 'from' | 'schema' | 'commands' | 'run' | 'members'> & {
    from?: 'body' | 'query'
    schema?: S
    commands?: readonly CallCommand<FieldOf<v.InferOutput<S>>>[]
    run: (host: ControlHost, input: v.InferOutput<S>, signal: AbortSignal | undefined) => Result
    /** Returns the members that make this call. `call` makes the call in the same process. */
    members?: (call: (sent?: object) => Result, host: ControlHost) => Members
  },
): ControlCall<Result, Members> {
  const { from = 'nothing', schema, run, members, ...rest } = definition
  const read = bodyReader(schema ?? v.object({}))
  const call = remembered({
    ...rest,
    ...(schema && { schema }),
    from,
    run: (host, raw, signal) => run(host, read(requireJsonObject(raw), {}, host.engine.context), signal),
  })
  return { ...call, ...(members && { members: (host) => members((sent = {}) => call.run(host, sent), host) }) }
}

type WithoutMembers<Result> = Omit<ControlCall<Result>, 'members'>

/** Wraps a call, made over HTTP or in the same process, so that the control log records it if it changes something. */
export function remembered<Result>(call: WithoutMembers<Result>): WithoutMembers<Result> {
  if (!isChange(call)) return call
  return {
    ...call,
    run(host, raw, signal) {
      const now = host.engine.lastNow
      const result = call.run(host, raw, signal)
      const log = (value: unknown) => host.controlLog.addControl(call, raw, now, value)
      if (result instanceof Promise) result.then(log, () => undefined)
      else log(result)
      return result
    },
  }
}

export const accessErrors = declareErrors({
  control_key_missing: entry(90401, 401, 'The control API requires a key here. Send it in the {header} header.'),
  control_key_invalid: entry(90402, 401, "The {header} header does not contain this gateway's control key."),
})

const COMMON_ERRORS = [
  ...Object.values(accessErrors),
  general.caller_forbidden,
  general.gateway_busy,
  general.store_failed,
  general.query_repeated,
  general.body_too_large,
  general.body_unreadable,
  general.body_unparsable,
  // A call without a body reads fields from the query, or from a body if one was sent.
  general.field_unknown,
  general.field_invalid,
]

const BODY_ERRORS = [general.content_type_missing, general.content_type_unsupported, general.query_unknown]

/** Returns all errors of a control call, sorted by error code. `collections` are all collections of the gateway. */
export function listCallErrors(
  { from, schema, errors = [], readsRecords }: ControlCall,
  collections: readonly { readonly schema: v.GenericSchema }[],
): readonly CatalogueError[] {
  const found = new Set<CatalogueError>([
    ...COMMON_ERRORS,
    ...(from === 'body' ? BODY_ERRORS : []),
    ...(schema ? listErrors(schema) : []),
    ...(readsRecords ? collections.flatMap((each) => [...listErrors(each.schema)]) : []),
    ...errors,
  ])
  return [...found].sort((a, b) => a.number - b.number)
}
