import * as v from 'valibot'
import type { Authority } from '../contract/authority.ts'
import type { Collection } from '../contract/collection.ts'
import type { Method, Operation } from '../contract/operation.ts'
import { bodyReader } from '../contract/request-body.ts'
import type { RuleContext } from '../contract/schema.ts'
import type { Transaction } from '../contract/transaction.ts'
import type { Clock } from '../engine/clock.ts'
import type { Snapshot } from './snapshot.ts'

/** What the controls of a gateway work on. */
export interface ControlHost {
  readonly clock: Clock
  authority(): Authority
  readonly context: RuleContext
  /** The gateway's time in ms since 1970. */
  now(): number
  /** All operations of the gateway's families. */
  readonly operations: readonly Operation[]
  /** The operations of one path, below the base URL. */
  operationsAt(path: string): readonly Operation[]
  /** The records of a collection whose index has this value, oldest first, outside any transaction. */
  findAll<R extends object>(collection: Collection<R>, index: string, value: string): readonly R[]
  /** Runs work on settled state, as one transaction. */
  control<T>(work: (tx: Transaction) => T): T
  reset(): void
  snapshot(options?: { readonly privateKeys?: boolean }): Snapshot
  restore(snapshot: unknown): void
  /** What was asked over HTTP. */
  readonly journal: { json(): string; clear(): void }
}

/** One control, defined once: the direct API and the control API over HTTP derive from it. */
export interface ControlOperation<Input = unknown, Result = unknown> {
  readonly method: Method
  /** Below `/_fauxgate`. */
  readonly path: string
  readonly summary: string
  /** Where the input stands over HTTP. */
  readonly from: 'body' | 'query' | 'nothing'
  /** What a text answers as; JSON where it is absent. */
  readonly mediaType?: string
  /** Carries out what was sent, once it is read. Answers undefined where there is nothing to say. */
  readonly run: (host: ControlHost, raw: unknown) => Result
  /** Carries the input's type; never set. */
  readonly input?: Input
}

/** Defines a control. */
export function control<S extends v.GenericSchema, Result>(definition: {
  method: Method
  path: string
  summary: string
  from: 'body' | 'query'
  input: S
  run: (host: ControlHost, input: v.InferOutput<S>) => Result
}): ControlOperation<v.InferInput<S>, Result> {
  const { input, run, ...rest } = definition
  const read = bodyReader(input)
  return { ...rest, run: (host, raw) => run(host, read(raw, {}, host.context)) }
}

/** Defines a control without input. */
export function plainControl<Result>(definition: {
  method: Method
  path: string
  summary: string
  mediaType?: string
  run: (host: ControlHost) => Result
}): ControlOperation<Record<never, never>, Result> {
  const read = bodyReader(v.object({}))
  return {
    ...definition,
    from: 'nothing',
    run(host, raw) {
      read(raw, {}, host.context)
      return definition.run(host)
    },
  }
}
