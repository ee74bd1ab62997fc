import * as v from 'valibot'
import { collection } from '../../core/operation/collection.ts'
import type { Method } from '../../core/operation/operation.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { codeOf } from '../../core/schema/error-facts.ts'
import { type CatalogueError, declareErrors, entry } from '../../core/schema/errors.ts'
import type { Facts } from '../../core/schema/facts.ts'
import { general } from '../../core/schema/general-errors.ts'
import { nearest } from '../../core/schema/nearest.ts'
import { integerFrom, oneOfThese, sentDuration } from '../../core/schema/options.ts'
import { sentRange } from '../../core/schema/range-options.ts'
import { count, ownId } from '../../core/schema/record-schema.ts'
import { type RuleContext, rule } from '../../core/schema/rule.ts'
import { anyObject } from '../../core/schema/schema.ts'
import { drawMs, rangeMs } from '../../core/schema/time.ts'
import type { ArmedFault } from '../../generated/controls.ts'
import type { ErrorKey } from '../../generated/resources.ts'
import { findDocumentedError } from './documented-numbers.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly (Method | 'HEAD')[]

/** The request that a fault's function `when` receives. */
export interface FaultRequest<OperationName extends string = string> {
  /** The operation's name. */
  readonly operation: OperationName
  /** The method, in uppercase. */
  readonly method: string
  /** The path under the base URL, without the query. */
  readonly path: string
  /** The IDs in the path, by parameter name. */
  readonly ids: Readonly<Record<string, string>>
  /** The body's JSON, or the query parameters. */
  readonly input: unknown
}

export const FAULT_PREFIX = 'fault'

const text = (sentence: string) => v.exactOptional(documented(v.string(), sentence))

const whole = (min: number, max: number, sentence: string) =>
  v.exactOptional(documented(integerFrom(min, max), sentence))

/**
 * Returns the error for a key such as `domain_taken`, or for an `error_code` that the service documents, such as `ERR_NGROK_413`.
 */
export function findError(name: string, { catalogue, dialect }: ErrorContext): CatalogueError | undefined {
  const known = catalogue.get(name) ?? [...catalogue.values()].find((error) => codeOf(error, dialect) === name)
  return known ?? findDocumentedError(name, dialect)
}

type ErrorContext = Pick<RuleContext, 'catalogue' | 'dialect'>

const errorName = v.pipe(
  v.custom<ErrorKey>((value) => typeof value === 'string', 'a key or a code from the catalogue'),
  rule([], (name, report, context) => {
    if (findError(name, context)) return
    const code = `a code such as ${context.dialect.errorPrefix}215`
    const suggestion = nearest(name, context.catalogue.keys()) ?? 'domain_taken'
    report(general.field_invalid, { allowed: `${code}, or the key of an error, such as ${suggestion}` })
  }),
)

type FaultMethod = (typeof METHODS)[number]

const method = v.pipe(
  v.custom<FaultMethod>(
    (value) => typeof value === 'string' && METHODS.some((each) => each === value.toUpperCase()),
    METHODS.join(', '),
  ),
  v.transform((sent) => sent.toUpperCase() as FaultMethod), // The string was just checked.
)

const when = v.exactOptional(
  documented(
    v.custom<(request: FaultRequest) => boolean>((value) => typeof value === 'function', 'a function'),
    'An additional condition: a function that returns true for the requests to fail, such as `({ input }) => ' +
      'input.name === "a"`. Not available over HTTP, and not part of a snapshot.',
    {
      isNoData: true,
      type: '(request: FaultRequest<Name>) => boolean',
      imports: { FaultRequest: 'control/faults/fault.ts' },
    },
  ),
)

const AGENT_PATH = /^\/(?:status|api(?:\/status|\/(?:tunnels|endpoints|requests\/http)(?:\/[^/]+)?)?)$/

const fields = {
  operation: v.exactOptional(
    documented(v.string(), "The operation's name, such as `reserved_domains.create`.", { type: 'Name' }),
  ),
  method: v.exactOptional(
    documented(method, "The method of the request. With `operation`, it must be that operation's method.", {
      json: { type: 'string', pattern: '^[A-Za-z]+$', listed: METHODS },
      type: METHODS.map((each) => `'${each}'`).join(' | '),
    }),
  ),
  path: text('The path under the base URL, such as `/reserved_domains`.'),
  resource: text("An ID in the request's path, such as `rd_…`."),
  traffic: text(
    'The URL or the ID of an upstream, as passed to `gateway.traffic.upstream`. The fault applies to requests that the ' +
      'gateway forwards to this upstream, not to API requests.',
  ),
  agent: v.exactOptional(
    documented(
      v.pipe(v.string(), v.regex(AGENT_PATH, 'a path in the agent\'s API, such as "/api/tunnels"')),
      "The path of a request to the agent's API, such as `/api/tunnels`. The fault does not affect the REST API.",
    ),
  ),
  times: whole(
    1,
    1_000_000,
    'The number of matching requests that this fault applies to. Default: all, until you remove it.',
  ),
  after: whole(0, 1_000_000, 'The number of matching requests to let through before the fault applies.'),
  phase: v.exactOptional(
    documented(
      v.picklist(['before', 'after'], 'before or after'),
      'With `before`, the operation does not run. With `after`, the change is made and the client still sees an error.',
      { json: { default: 'before' } },
    ),
  ),
  status: whole(400, 599, 'The HTTP status of the error. Default: the status of `error`, or 503.'),
  error: v.exactOptional(
    documented(errorName, 'An error, by key or `error_code`, such as `ERR_NGROK_413`.', {
      json: { type: 'string' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a type
      type: 'Key | `ERR_${string}`',
    }),
  ),
  message: text('The `msg` of the error.'),
  retryAfter: v.exactOptional(
    sentDuration(
      'The `Retry-After` header, rounded up to seconds. The default for an `error` with status 429 is 60 s.',
    ),
  ),
  latency: v.exactOptional(
    sentRange(
      "The delay of the response, on the gateway's clock. For a range such as `1s..3s`, the seed picks a delay " +
        'for each request. If no other field is set, the response is only delayed.',
    ),
  ),
  drop: v.exactOptional(
    documented(v.boolean(), 'True to break the connection: `fetch` rejects, or the server resets the socket.'),
  ),
  truncate: whole(
    0,
    1_000_000,
    'The number of characters (or bytes, with `traffic`) after which the usual response is truncated.',
  ),
  ending: v.exactOptional(
    documented(
      oneOfThese(['complete', 'break', 'stall']),
      'What happens after the point at which `truncate` cuts off the response. With `break`, the connection breaks. With `stall`, ' +
        'nothing more is sent until the client gives up. Both keep the Content-Length of the whole response.',
      { json: { default: 'complete' } },
    ),
  ),
  body: v.exactOptional(
    documented(
      v.union([v.string(), anyObject<object>()], 'a string or an object'),
      'The body of the response. A string, such as an HTML page, is sent unchanged; an object is sent as JSON.',
      { type: 'string | object' },
    ),
  ),
}

/** The type parameters with which a gateway adds the names of your own families. */
const PARAMETERS: Facts = {
  parameters: 'Name extends string = string, Key extends string = ErrorKey',
  imports: { ErrorKey: 'generated/resources.ts' },
}

export const faultSpec = named(
  v.object({ ...fields, when }),
  'FaultSpec',
  'A fault: which requests it applies to, how many of them, and the response. A fault that no request can ' +
    'match is rejected.',
  PARAMETERS,
)

const addedFields = {
  id: documented(ownId(FAULT_PREFIX), 'The ID of the fault, for `remove`. The journal shows it too.'),
  ...fields,
  hits: documented(count, 'The number of requests that the fault has applied to.'),
  passed: documented(count, 'The number of matching requests that were let through before the fault applied.'),
}

const savedFault: v.GenericSchema<unknown, ArmedFault> = v.object({ ...addedFields, when })

export const addedFault = named(
  v.object({ ...addedFields, when }),
  'ArmedFault',
  'An added fault, with its number of hits.',
  PARAMETERS,
)

const missed = named(
  v.object({
    operationId: documented(v.string(), "The ID of the request's operation, as shown in the journal."),
    request: documented(v.string(), 'The method and the path.'),
    reason: documented(v.string(), 'The reason that the fault did not apply.'),
  }),
  'MissedRequest',
  'A request that a pending fault did not apply to.',
)

export const listedFault = named(
  v.object({
    ...addedFields,
    state: documented(
      v.picklist(['pending', 'active', 'used up'], 'pending, active, used up'),
      '`pending` while it waits for a request, `active` if it applies to requests until you remove it, or `used up`.',
    ),
    missed: v.exactOptional(
      documented(
        v.array(missed),
        'Of the last 5 requests, those that it did not apply to, oldest first. Absent if the fault is not pending.',
      ),
    ),
  }),
  'ListedFault',
  'A fault with its hits, and the requests that it did not apply to.',
  PARAMETERS,
)

/** The number of faults at which used-up faults are dropped to make room. */
export const MAX_FAULTS = 1000

export const faultRecords = collection<ArmedFault>({
  name: 'faults',
  schema: savedFault,
  most: MAX_FAULTS,
  indexes: { waiting: (record) => (isUsedUp(record) ? null : '') },
})

export function faultsIn(tx: Transaction): ArmedFault[] {
  return [...tx.newestFirst(faultRecords)].reverse()
}

export function isUsedUp({ times, hits }: ArmedFault): boolean {
  return times !== undefined && hits >= times
}

/** Returns whether a fault still waits for requests. A fault without `times` waits for its first request. */
export function isPending(fault: ArmedFault): boolean {
  return fault.times === undefined ? fault.hits === 0 : !isUsedUp(fault)
}

export function getFaultState(fault: ArmedFault): 'pending' | 'active' | 'used up' {
  return isUsedUp(fault) ? 'used up' : isPending(fault) ? 'pending' : 'active'
}

/** Declares an error that the service documents but that only a fault can cause here. */
const onlyAsFault = (number: number, sentence: string) => entry(number, 400, sentence)

export const errors = declareErrors({
  service_error_405: onlyAsFault(405, 'Names with this suffix can be reserved only in another region.'),
  service_error_430: onlyAsFault(
    430,
    'Another account has an active tunnel on this domain. It cannot be reserved in the meantime.',
  ),
  service_error_447: onlyAsFault(447, 'Managed certificates are not allowed for direct subdomains of this domain.'),
  service_error_451: onlyAsFault(451, 'The region of this domain cannot be changed.'),
  service_error_459: onlyAsFault(459, 'The region and IP resolution of this domain cannot be changed.'),
  service_error_511: onlyAsFault(
    511,
    'The domain has a dangling CNAME record. Delete the record, then reserve the domain.',
  ),
  service_error_512: onlyAsFault(
    512,
    'The domain has a dangling A, AAAA, ALIAS, or other record that points to the service. Delete it first.',
  ),
  too_many_pending: entry(90429, 409, 'The maximum of {most} {what} has been reached. Remove some first.'),
  injected_fault: entry(90500, 503, 'A fault was injected into {operation} by the test.'),
})

/**
 * Counts a request as a hit for the first fault that has started, and draws its latency. Faults that start later also count the request.
 */
export function countHits(tx: Transaction, matching: readonly ArmedFault[]): ArmedFault | undefined {
  for (const { id } of matching) {
    const fault = tx.get(faultRecords, id)
    if (!fault || isUsedUp(fault)) continue
    if (fault.passed >= (fault.after ?? 0)) {
      tx.put(faultRecords, { ...fault, hits: fault.hits + 1 })
      const range = rangeMs(fault.latency)
      return range ? { ...fault, latency: drawMs(range, (below) => tx.randomInteger(below)) } : fault
    }
    tx.put(faultRecords, { ...fault, passed: fault.passed + 1 })
  }
  return undefined
}
