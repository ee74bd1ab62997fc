/** The errors of endpoint configuration modules: those of edges, with other error codes. */
import type * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'

/** The offset between the error code for an edge's module and the code for the same module of an endpoint configuration. */
const DISTANCE = 5400

/** The error codes that have a different offset, by edge error code. */
const OTHERS: Readonly<Record<number, number>> = { 7107: 1699 }

type TwinKey<Key> = `configuration_${Key & string}`

/** The errors of endpoint configurations, by the corresponding edge error. */
export type Twins<Errors> = {
  readonly [Key in keyof Errors as TwinKey<Key>]: Errors[Key] extends parts.FieldError<string, infer Own>
    ? parts.FieldError<TwinKey<Key>, Own>
    : Errors[Key] extends parts.CatalogueError<string, infer Values>
      ? parts.CatalogueError<TwinKey<Key>, Values>
      : never
}

/** Creates the errors of endpoint configurations from those of edges, and a map from each edge error to its copy. */
export function makeTwins<const Errors extends parts.ErrorsByKey>(errors: Errors) {
  const pairs = Object.values(errors).map(
    (error) =>
      [
        error,
        { ...error, key: `configuration_${error.key}`, number: OTHERS[error.number] ?? error.number - DISTANCE },
      ] as const,
  )
  const twins = Object.fromEntries(pairs.map(([, twin]) => [twin.key, twin]))
  // The type checker loses the key types of entries.
  return {
    twins: twins as unknown as Twins<Errors>,
    inPlaceOf: new Map<parts.CatalogueError, parts.CatalogueError>(pairs),
  }
}

/** Runs work, and replaces edge errors with the errors of endpoint configurations. */
function withTwins<T>(inPlaceOf: ReadonlyMap<parts.CatalogueError, parts.CatalogueError>, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof parts.Refusal)) throw thrown
    throw thrown.mapProblems((it) => ({ ...it, error: inPlaceOf.get(it.error) ?? it.error }))
  }
}

/** Returns an operation that rejects requests with the errors of endpoint configurations instead of the errors of edges. */
export function refuseWithTwins<O extends kit.Operation>(
  operation: O,
  inPlaceOf: ReadonlyMap<parts.CatalogueError, parts.CatalogueError>,
): O {
  const { read, run } = operation
  return {
    ...operation,
    inPlaceOf,
    ...(read && { read: (raw, ids, context) => withTwins(inPlaceOf, () => read(raw, ids, context)) }),
    run: (tx, ids, input) => withTwins(inPlaceOf, () => run(tx, ids, input)),
  } satisfies kit.Operation
}
