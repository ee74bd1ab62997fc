import * as v from 'valibot'
import {
  integerFrom,
  listOptionProblems,
  oneOfThese,
  optionsOf,
  readOptions,
  sentDuration,
} from '../../core/schema/options.ts'
import { TIME_ALLOWED, timeMs } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import { placesOf } from '../../service/policy/lines.ts'
import { PLACES, type PolicyOptions, PROTOCOLS } from '../../service/policy/options.ts'
import { PHASES } from '../../service/policy/phases.ts'
import type { PolicyPath } from '../../service/policy/problem.ts'
import { readText } from '../../service/policy/text.ts'
import type { CannedResponse } from '../../traffic/upstreams.ts'
import { mapOf } from './maps.ts'

/** A visitor's request in a test. */
export interface TestRequest {
  readonly url: string
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  readonly from?: Readonly<Record<string, unknown>> | undefined
}

/** The expected result of a request. Omitted fields are not compared. */
export interface Expected {
  /** The status, or null if the gateway closes the connection. */
  readonly status?: number | null | undefined
  /** Response headers by name, or null for an absent header. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  readonly body?: string | undefined
  /** Part of the body. */
  readonly contains?: string | undefined
  /** The name of the rule that responded or closed the connection, or its position, such as `on_http_request.0`; null if none did. */
  readonly rule?: string | null | undefined
  /** The URL of the upstream that received the request, or null if none did. */
  readonly upstream?: string | null | undefined
  /** The gateway's own error code, or null. */
  readonly error?: string | null | undefined
}

/** A step of a test: a request, sent `repeat` times, or a clock move. */
export type TestStep =
  | { readonly advance: string | number }
  | {
      /** The one-based line of the step in the file. */
      readonly line: number
      readonly request: TestRequest
      readonly repeat?: number | undefined
      readonly expect?: Expected | undefined
    }

export interface PolicyTest {
  readonly name: string
  /** The one-based line of the test in the file. */
  readonly line: number
  readonly steps: readonly TestStep[]
}

export interface PolicyTestFile extends Pick<PolicyOptions, 'protocol' | 'place'> {
  /** The path of the policy, or the policy itself. */
  readonly policy: string | object
  /** Identifies the policy in a file with several policies: its position in the file, or the name of its resource. */
  readonly policy_name?: string | undefined
  readonly start: string
  readonly upstreams: Readonly<Record<string, CannedResponse>>
  /** The values of secrets, by vault name and secret name. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The ranges of IP policies, by the IDs used in the policy. */
  readonly ipPolicies: Readonly<Record<string, Readonly<Record<'allow' | 'deny', readonly string[]>>>>
  readonly tests: readonly PolicyTest[]
}

const text = v.string('a string')
const texts = mapOf(v.string(), text, 'a map from names to strings')
// YAML reads `retry-after: 60` as a number.
const headerValue = v.pipe(
  v.union([text, v.pipe(v.number(), v.safeInteger('a string'))], 'a string'),
  v.transform(String),
)
const headers = mapOf(
  v.pipe(
    v.string(),
    v.check((name) => isSendable(name, ''), 'header names, such as "x-key"'),
  ),
  v.pipe(
    headerValue,
    v.check((value) => isSendable('a', value), 'a single-line Latin-1 string'),
  ),
  'a map from names to strings',
)
const nullable = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema))

/** The methods that `fetch` cannot send. */
const NOT_SENT: readonly string[] = ['CONNECT', 'TRACE', 'TRACK']

const request = optionsOf(
  {
    url: v.pipe(
      text,
      v.check((url) => /^https?:\/\/[^/]/.test(url) && URL.canParse(url), 'a URL such as "https://api.example.com/"'),
    ),
    method: v.optional(
      v.pipe(
        text,
        v.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'a method such as "POST"'),
        v.check((method) => !NOT_SENT.includes(method.toUpperCase()), `a method other than ${NOT_SENT.join(', ')}`),
      ),
    ),
    headers: v.optional(headers),
    body: v.optional(text),
    from: v.optional(v.custom<Record<string, unknown>>(isObject, 'a map such as { ip: 203.0.113.9, country: DE }')),
  },
  'a map with a url',
)

const EXPECTED = 'a map with status, headers, body, contains, rule, upstream, or error'

const expected = optionsOf(
  {
    status: nullable(integerFrom(100, 599)),
    headers: v.optional(
      v.pipe(
        mapOf(v.string(), v.nullable(headerValue), 'a map from names to strings or null'),
        v.check((named) => Object.keys(named).length > 0, 'at least one header, because an empty map compares nothing'),
      ),
    ),
    body: v.optional(text),
    contains: v.optional(
      v.pipe(
        text,
        v.minLength(
          1,
          'a non-empty string, because every body contains the empty string. `body` compares the whole body',
        ),
      ),
    ),
    rule: nullable(text),
    upstream: nullable(text),
    error: nullable(text),
  },
  EXPECTED,
)

const repeat = v.optional(integerFrom(1, 1_000_000))

const step = optionsOf(
  {
    advance: v.optional(sentDuration('How far to advance the clock.')),
    request: v.optional(request),
    repeat,
    expect: v.optional(expected),
  },
  'a map with a request, or with advance',
)

const test = optionsOf(
  {
    name: text,
    request: v.optional(request),
    repeat,
    expect: v.optional(expected),
    steps: v.optional(v.array(step, 'a list of steps')),
  },
  'a map with a name and a request',
)

const UPSTREAM_URL = 'URLs such as "https://app.internal" as names'

const canned = optionsOf(
  { status: v.optional(integerFrom(200, 599)), headers: v.optional(headers), body: v.optional(text) },
  'a map with status, headers, or body',
)

const ranges = v.optional(v.array(text, 'a list of ranges such as 203.0.113.0/24'), [])
const ipPolicy = optionsOf({ allow: ranges, deny: ranges }, 'a map with allow or deny')

const file = optionsOf(
  {
    policy: v.union([text, v.custom<object>(isObject)], 'a policy, or the path of a policy file'),
    policy_name: v.optional(text),
    protocol: v.optional(oneOfThese(PROTOCOLS)),
    place: v.optional(oneOfThese(PLACES)),
    start: v.optional(
      v.pipe(
        text,
        v.check((time) => timeMs(time) !== undefined, TIME_ALLOWED),
      ),
      '2026-01-01T00:00:00Z',
    ),
    upstreams: v.optional(
      mapOf(
        v.pipe(
          v.string(),
          v.check((url) => URL.canParse(url), UPSTREAM_URL),
        ),
        canned,
        'a map from URLs to responses',
      ),
      {},
    ),
    secrets: v.optional(mapOf(v.string(), texts, 'a map from vault names to secrets'), {}),
    ip_policies: v.optional(mapOf(v.string(), ipPolicy, 'a map from IDs to ranges'), {}),
    tests: v.pipe(v.array(test, 'a list of tests'), v.minLength(1, 'at least one test')),
  },
  'a map with policy and tests',
)

/**
 * Reads a test file for policies, in YAML or JSON. @throws TypeError with one line for each invalid part, beginning with its line and
 * column in the file
 */
export function readPolicyTests(text: string): PolicyTestFile {
  const { value, problem, locate } = readText(text, Number.POSITIVE_INFINITY)
  const placeOf = placesOf(text)
  if (problem) throw refuse([{ at: problem.offset, message: `The file cannot be read: ${problem.message}` }])
  if (isPolicy(value)) throw refuse([{ at: 0, message: IS_POLICY }])
  const found = [...listOptionProblems(file, value, WHOLE), ...listTestProblems(value)]
  if (found.length > 0) throw refuse(found.map(({ path, message }) => ({ at: locate(path).start, message })))
  const { tests, ip_policies: ipPolicies, protocol, place, ...read } = readOptions(file, value, WHOLE)
  const lineOf = (...path: PolicyPath) => placeOf(locate(path).start).line
  return {
    ...read,
    ...(protocol && { protocol }),
    ...(place && { place }),
    ipPolicies,
    tests: tests.map((each, index) => ({
      name: each.name,
      line: lineOf('tests', index),
      steps: (each.steps ?? [each]).flatMap(
        ({ request: sent, repeat: times, expect: end, ...step }, at): TestStep[] => {
          if ('advance' in step && step.advance !== undefined) return [{ advance: step.advance }]
          return sent ? [{ line: lineOf('tests', index, 'steps', at), request: sent, repeat: times, expect: end }] : []
        },
      ),
    })),
  }

  function refuse(problems: readonly { readonly at: number; readonly message: string }[]) {
    const lines = problems.map(({ at, message }) => ({ ...placeOf(at), message })).sort((a, b) => a.line - b.line)
    return new TypeError(
      [...new Set(lines.map(({ line, column, message }) => `${line}:${column}: ${message}`))].join('\n'),
    )
  }
}

const WHOLE = { whole: 'the file' }

const IS_POLICY =
  'This is a policy, not its tests. Pass a test file whose "policy" names this file, or check it with "fauxgate policy check".'

const isPolicy = (value: unknown) => isObject(value) && !('tests' in value) && PHASES.some((phase) => phase in value)

/** Lists the problems with tests that involve more than one field. */
function listTestProblems(value: unknown) {
  const tests = isObject(value) && Array.isArray(value.tests) ? value.tests : []
  return tests.flatMap((test: unknown, index) => (isObject(test) ? listProblemsOf(test, ['tests', index]) : []))
}

function listProblemsOf(test: Readonly<Record<string, unknown>>, path: PolicyPath) {
  const { steps } = test
  const parts: readonly unknown[] = Array.isArray(steps) ? steps : [test]
  const found = parts.flatMap((part, index) =>
    isObject(part) ? listProblemsOfStep(part, steps === undefined ? path : [...path, 'steps', index]) : [],
  )
  const add = (at: PolicyPath, what: string) => found.push({ path: at, message: `${at.join('.')} ${what}` })
  if (steps !== undefined && (test.request ?? test.repeat ?? test.expect) !== undefined)
    add(path, 'has both steps and its own request. Move the request into the steps.')
  if (!parts.some((part) => isObject(part) && part.expect !== undefined))
    add([...path, 'expect'], `is missing: the test compares nothing. Allowed: ${EXPECTED}.`)
  return found
}

function listProblemsOfStep({ advance, request: sent, ...rest }: Readonly<Record<string, unknown>>, path: PolicyPath) {
  const at = path.join('.')
  if (isObject(rest.expect) && Object.keys(rest.expect).length === 0)
    return [{ path: [...path, 'expect'], message: `${at}.expect is empty: it compares nothing. Allowed: ${EXPECTED}.` }]
  if (isObject(sent) && sent.body !== undefined && /^(GET|HEAD)$/i.test(String(sent.method ?? 'GET')))
    return [
      {
        path: [...path, 'request', 'body'],
        message: `${at}.request.body was set for a ${sent.method ?? 'GET'} request, which cannot have a body. Add a method such as POST.`,
      },
    ]
  if (advance === undefined)
    return sent === undefined ? [{ path, message: `${at}.request is missing. Allowed: a map with a url.` }] : []
  if ((sent ?? rest.expect ?? rest.repeat) === undefined) return []
  return [{ path, message: `${at} combines advance with other fields. Move advance to its own step.` }]
}

/** Returns whether `fetch` can send a header. */
function isSendable(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]) !== undefined
  } catch {
    return false
  }
}
