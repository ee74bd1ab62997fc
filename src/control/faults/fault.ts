import * as v from 'valibot'
import type { ArmedFault } from '../../generated/controls.ts'
import type { ErrorKey } from '../../generated/resources.ts'
import { collection } from '../../operation/collection.ts'
import type { Method } from '../../operation/operation.ts'
import type { Transaction } from '../../operation/transaction.ts'
import { documented, type Facts, type JsonFacts, named } from '../../schema/documentation.ts'
import { declareErrors, entry } from '../../schema/errors.ts'
import { general } from '../../schema/general-errors.ts'
import { integerFrom } from '../../schema/options.ts'
import { count, ownId } from '../../schema/record-schema.ts'
import { rule } from '../../schema/rule.ts'
import { anyObject } from '../../schema/schema.ts'
import { DURATION_ALLOWED, DURATION_FACTS, type Duration, durationMs } from '../../schema/time.ts'

/** The methods of requests that can meet a fault. */
const FAULT_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly (Method | 'HEAD')[]

/** What a fault's predicate sees of a request. */
export interface FaultRequest<OperationName extends string = string> {
  /** The operation's name. */
  readonly operation: OperationName
  /** The method, in upper case. */
  readonly method: string
  /** Below the base URL, without the query. */
  readonly path: string
  /** The ids in the path, by their names there. */
  readonly ids: Readonly<Record<string, string>>
  /** The JSON of the body, or the parameters of the query. */
  readonly input: unknown
}

/** The prefix of the ids of faults. */
export const FAULT_PREFIX = 'fault'

const text = (sentence: string) => v.exactOptional(documented(v.string(), sentence))

const whole = (min: number, max: number, sentence: string) =>
  v.exactOptional(documented(integerFrom(min, max), sentence))

const duration = (sentence: string) =>
  v.exactOptional(
    documented(
      v.custom<Duration>((value) => durationMs(value) !== undefined, DURATION_ALLOWED),
      sentence,
      DURATION_FACTS,
    ),
  )

const errorKey = v.pipe(
  v.custom<ErrorKey>((value) => typeof value === 'string', 'a key of the catalogue'),
  rule([], (key, report, { catalogue }) => {
    const allowed = () => `a key of the catalogue: ${[...catalogue.keys()].join(', ')}`
    if (!catalogue.has(key)) report(general.field_invalid, { allowed: allowed() })
  }),
)

type FaultMethod = (typeof FAULT_METHODS)[number]

const KNOWN_METHODS: readonly string[] = FAULT_METHODS

/** A method; over HTTP in any case. */
const method = v.pipe(
  v.custom<FaultMethod>(
    (value) => typeof value === 'string' && KNOWN_METHODS.includes(value.toUpperCase()),
    FAULT_METHODS.join(', '),
  ),
  v.transform((sent) => sent.toUpperCase() as FaultMethod), // It is one, as just checked.
)

/** A predicate is no data: only a caller in this process has one. */
const when = v.exactOptional(
  documented(
    v.custom<(request: FaultRequest) => boolean>((value) => typeof value === 'function', 'a function'),
    'Any further condition. Not available over HTTP, and not part of a snapshot.',
    {
      isNoData: true,
      type: '(request: FaultRequest<Name>) => boolean',
      imports: { FaultRequest: 'control/faults/fault.ts' },
    },
  ),
)

const METHODS: JsonFacts = { anyOf: [{ enum: FAULT_METHODS }, { type: 'string', pattern: '^[A-Za-z]+$' }] }

const fields = {
  operation: v.exactOptional(
    documented(v.string(), "The operation's name, such as `reserved_domains.create`.", { type: 'Name' }),
  ),
  method: v.exactOptional(
    documented(method, 'The method of the request; that of the operation where both are given.', {
      json: METHODS,
      type: FAULT_METHODS.map((each) => `'${each}'`).join(' | '),
    }),
  ),
  path: text('The path below the base URL, such as `/reserved_domains`.'),
  resource: text('An id that stands in the path.'),
  times: whole(1, 1_000_000, 'How many requests it meets; until it is removed where this is left out.'),
  after: whole(0, 1_000_000, 'How many matching requests pass before it begins.'),
  phase: v.exactOptional(
    documented(
      v.picklist(['before', 'after'], 'before or after'),
      'Whether it fails before the operation or after it: then the client sees an error, and the change happened.',
      { json: { default: 'before' } },
    ),
  ),
  status: whole(400, 599, 'The HTTP status of the error, by default that of `error`, or 503.'),
  error: v.exactOptional(
    documented(errorKey, 'An error of the catalogue, by its key.', { json: { type: 'string' }, type: 'Key' }),
  ),
  message: text('The `msg` of the error.'),
  retryAfter: duration('A `Retry-After` header, rounded up to seconds.'),
  latency: duration(
    "How long the answer takes, on the gateway's clock. Without anything else, the answer itself is the usual one.",
  ),
  drop: v.exactOptional(
    documented(
      v.boolean(),
      'Whether the connection breaks instead of an answer: fetch rejects, the server resets the socket.',
    ),
  ),
  truncate: whole(0, 1_000_000, 'After how many characters the usual answer is cut.'),
  body: v.exactOptional(
    documented(
      v.union([v.string(), anyObject<object>()], 'a text or an object'),
      "A body of the caller's own, with the status: a text, such as an HTML page, as it is, or an object as JSON.",
      { type: 'string | object' },
    ),
  ),
}

/** The types that a gateway with families of its own fills in. */
const PARAMETERS: Facts = {
  parameters: 'Name extends string = string, Key extends string = ErrorKey',
  imports: { ErrorKey: 'generated/resources.ts' },
}

/** A fault as it is ordered. */
export const faultSpec = named(
  v.object({ ...fields, when }),
  'FaultSpec',
  'A failure on order: which requests it meets, how often, and what they get instead of their answer. One that no request of the API can meet is refused.',
  PARAMETERS,
)

const armedFields = {
  id: documented(ownId(FAULT_PREFIX), 'Its own id, which `remove` takes and the journal names.'),
  ...fields,
  hits: documented(count, 'How many requests it has met.'),
  passed: documented(count, 'How many matching requests it has let pass.'),
}

/** A fault as a snapshot has it. */
const savedFault: v.GenericSchema<unknown, ArmedFault> = v.object(armedFields)

/** A fault as callers see it. */
export const armedFault = named(v.object({ ...armedFields, when }), 'ArmedFault', 'A fault that is armed.', PARAMETERS)

/** A request is looked up by what it is; a fault that asks for none of these stands under this. */
export const ANY_REQUEST = ''

/** The number of faults a gateway keeps; used-up ones give way to new ones. */
export const MOST_FAULTS = 1000

/**
 * Armed faults, the oldest first to match. They are found by one thing that they ask for, so that requests which have
 * nothing to do with them do not look at them. One with a predicate is no data, so no snapshot has it.
 */
export const faultRecords = collection<ArmedFault>({
  name: 'faults',
  key: (record) => record.id,
  schema: savedFault,
  most: MOST_FAULTS,
  indexes: {
    waiting: (record) => (isUsedUp(record) ? null : askedFor(record)),
    usedUp: (record) => (isUsedUp(record) ? ANY_REQUEST : null),
  },
  exported: (record) => (record.when ? null : record),
})

function askedFor({ operation, resource, path, method }: ArmedFault): string {
  return operation ?? resource ?? path ?? method ?? ANY_REQUEST
}

/** All armed faults, oldest first. */
export function armedFaults(tx: Transaction): ArmedFault[] {
  return [...tx.newestFirst(faultRecords)].reverse()
}

/** Tells whether a fault has met all the requests that it was to meet. */
export function isUsedUp({ times, hits }: ArmedFault): boolean {
  return times !== undefined && hits >= times
}

/** Tells whether a fault still waits for requests: one without a number of times waits for its first. */
export function isPending(fault: ArmedFault): boolean {
  return fault.times === undefined ? fault.hits === 0 : !isUsedUp(fault)
}

/** The error of a fault that names none, and that of too many faults. */
export const errors = declareErrors({
  too_many_on_order: entry(
    90429,
    409,
    (it: { what: string; most: number }) =>
      `There are ${it.most} ${it.what} on order already, which is the most allowed. Remove some first.`,
  ),
  injected_fault: entry(
    90500,
    503,
    (it: { operation: string }) => `A fault was injected into ${it.operation} by the test.`,
  ),
})
