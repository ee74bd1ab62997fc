import * as v from 'valibot'
import type { Clock } from '../engine/clock.ts'
import type { Journal } from '../journal/journal.ts'
import type { Collection } from '../operation/collection.ts'
import type { ErrorsByKey, Families, Family } from '../operation/family.ts'
import type { Method, Operation } from '../operation/operation.ts'
import type { Transaction } from '../operation/transaction.ts'
import type { Authority } from '../operation/view.ts'
import type { Dialect } from '../resources/dialects.ts'
import { bodyReader, jsonObject } from '../schema/body.ts'
import { errorsIn } from '../schema/documentation.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { declareErrors, entry } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import type { Snapshot } from './snapshot.ts'

/** What one part of a gateway's behaviour gives the test to turn: the clock, the DNS zone, faults, … */
export interface Control<Members extends object = object, Errors extends ErrorsByKey = Record<never, never>> {
  /** What can be asked of it over HTTP, by name. */
  readonly calls: Readonly<Record<string, ControlCall>>
  /** The schemas of what its members take, beside those of its calls: their types are generated. */
  readonly types?: readonly v.GenericSchema[]
  /** The errors that are its own. */
  readonly errors?: Errors
  /** What it keeps in the gateway's state, for the operations of an API. */
  readonly state?: (api: Api) => Omit<Family, 'operations' | 'errors'>
  /** Makes what the gateway has of it as members, such as `dns`: its direct face. */
  readonly members?: (host: ControlHost) => Members
}

/** What several controls together give a gateway as members. */
type MembersOf<C extends AnyControl> = Together<
  C extends { members?(...given: never[]): infer Members } ? Members : never
>

/** Carries the type of what several controls together give a gateway as members; never set. */
export function membersOf<C extends AnyControl>(_controls: readonly C[]): MembersOf<C> | undefined {
  return undefined
}

/** A control of which nothing is known. */
export type AnyControl = Control<object, ErrorsByKey>

/** The keys of the errors that controls have of their own. */
export type ErrorKeysOf<C extends AnyControl> = C extends { readonly errors?: infer Errors } ? keyof Errors : never

/** All types of a union at once: what takes any of them takes this. */
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The operations of a gateway, to look them up. */
export interface Api {
  readonly operations: readonly Operation[]
  /** The operations of one path, below the base URL. */
  operationsAt(path: string): readonly Operation[]
}

/** What the controls of a gateway work on. */
export interface ControlHost {
  readonly api: Api
  readonly clock: Clock
  authority(): Authority
  readonly context: RuleContext
  /** The gateway's time in ms since 1970. */
  now(): number
  /** The records of a collection whose index has this value, oldest first, outside any transaction. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[]
  /** What is due next: when, in ms, and of which record. */
  nextDue(): { readonly at: number; readonly collection: string; readonly key: string } | undefined
  /** Runs work on settled state, as one transaction. */
  transact<T>(work: (tx: Transaction) => T): T
  /** Runs a move of the clock, which stops where it is as soon as `isOver`. Returns whether that happened. */
  moved(move: () => void, isOver: () => boolean): boolean
  reset(): void
  snapshot(withPrivateKeys: boolean): Snapshot
  restore(snapshot: unknown): void
  /** Resolves when everything that was answered is safe in the store. Rejects with a `Refusal` where it is lost. */
  safe(): Promise<void>
  /** What was asked over HTTP. */
  readonly journal: Journal
  /** A text for people without the gateway's own keys and without private keys. */
  withoutKeys(text: string): string
  /** The resources that were created and not deleted since the initial state. */
  leftovers(): readonly { readonly family: string; readonly id: string }[]
  readonly dialect: Dialect
  /** The families of a test's own. */
  readonly families: Families
  /** What every URI in a response starts with. */
  url(): string
  /** What makes the text of the OpenAPI document; undefined until somebody brings it. */
  describer: ((...given: Parameters<Describer>) => string) | undefined
}

/** What makes an OpenAPI document; `openApi` of `fauxgate/openapi` is one. */
export type Describer = (
  dialect: Dialect,
  options: { readonly families: Readonly<Record<string, { readonly operations: object }>>; readonly url: string },
) => object

/** What the paths of all controls begin with. */
export const CONTROL_PATH = '/_fauxgate'

/** The header that a control key is sent in. */
export const CONTROL_KEY_HEADER = 'Fauxgate-Control-Key'

/** One call to a control, defined once: the direct API and the control API over HTTP derive from it. */
export interface ControlCall<Result = unknown> {
  readonly method: Method
  /** Below `/_fauxgate`. */
  readonly path: string
  readonly summary: string
  /** Where the input stands over HTTP. */
  readonly from: 'body' | 'query' | 'nothing'
  /** What the input must be; absent where there is none, or where the call reads it by itself. */
  readonly schema?: v.GenericSchema
  /** What it answers; absent where there is nothing to say. */
  readonly answer?: v.GenericSchema
  /** The errors that `run` may refuse with, beside those of every call and those of its schema. */
  readonly errors?: readonly CatalogueError[]
  /** True if it reads kept records: then it can refuse them as their schemas do. */
  readonly readsRecords?: true
  /** What a text answers as; JSON where it is absent. */
  readonly mediaType?: string
  /** Carries out what was sent, once it is read. Answers undefined where there is nothing to say. */
  readonly run: (host: ControlHost, raw: unknown) => Result
}

/** Defines a call; one without a schema takes no input. */
export function controlCall<S extends v.GenericSchema, Result>(definition: {
  method: Method
  path: string
  summary: string
  from?: 'body' | 'query'
  schema?: S
  answer?: v.GenericSchema
  errors?: readonly CatalogueError[]
  mediaType?: string
  run: (host: ControlHost, input: v.InferOutput<S>) => Result
}): ControlCall<Result> {
  const { from = 'nothing', schema, run } = definition
  const read = bodyReader(schema ?? v.object({}))
  return { ...definition, from, run: (host, raw) => run(host, read(jsonObject(raw), {}, host.context)) }
}

/** The errors of callers that may not use the controls. */
export const accessErrors = declareErrors({
  control_key_missing: entry(
    90401,
    401,
    (it: { header: string }) => `The control API needs its key here. Send it in the header ${it.header}.`,
  ),
  control_key_invalid: entry(
    90402,
    401,
    (it: { header: string }) => `What the header ${it.header} holds is not the control key of this gateway.`,
  ),
  control_forbidden: entry(
    90403,
    403,
    (it: { what: string; received: string }) =>
      `The control API was asked with the ${it.what} ${it.received}. Allowed: this machine's own, such as localhost; ` +
      'any other only with a control key.',
  ),
})

const OF_ANY_CALL = [
  ...Object.values(accessErrors),
  general.gateway_busy,
  general.store_failed,
  general.query_repeated,
  general.body_too_large,
  general.body_unreadable,
  general.body_unparsable,
]

const OF_A_BODY = [general.content_type_missing, general.content_type_unsupported, general.query_unknown]

/** A call without a body reads its query, and a body all the same, as its fields. */
const OF_FIELDS = [general.field_unknown, general.field_invalid]

/** Every error that a call to a control can answer with, by the catalogue's numbers; `kept` is what a gateway keeps. */
export function callErrorsOf(
  { from, schema, errors = [], readsRecords }: ControlCall,
  kept: readonly { readonly schema: v.GenericSchema }[],
): readonly CatalogueError[] {
  const found = new Set<CatalogueError>([
    ...OF_ANY_CALL,
    ...OF_FIELDS,
    ...(from === 'body' ? OF_A_BODY : []),
    ...(schema ? errorsIn(schema) : []),
    ...(readsRecords ? kept.flatMap((each) => [...errorsIn(each.schema)]) : []),
    ...errors,
  ])
  return [...found].sort((a, b) => a.number - b.number)
}
