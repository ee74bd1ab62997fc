import * as v from 'valibot'
import { documented, named } from '../core/schema/documentation.ts'
import { declareErrors, entry } from '../core/schema/errors.ts'
import type { Facts } from '../core/schema/facts.ts'
import { integerFrom, listOfThese, sentDuration } from '../core/schema/options.ts'
import { tries } from '../core/schema/values.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'
import { errors as gatewayErrors, requireGatewayHost } from './gateways.ts'
import { language } from './languages.ts'

export const errors = declareErrors({
  exploration_not_found: entry(
    90465,
    404,
    'There is no exploration {id}. It has ended, it was idle for an hour, or the server restarted. POST /_fauxgate/explorations starts one.',
  ),
  exploration_invalid: entry(90466, 400, 'The exploration cannot be started: {why}'),
})

const optional = <S extends v.GenericSchema>(schema: S, sentence: string, more?: Facts) =>
  v.exactOptional(documented(schema, sentence, more))

/** The type of an integer in documents. */
const INTEGER = { json: { type: 'integer' } }

const texts = v.array(v.string(), 'an array of strings')

/** The kinds of failures that are tried by default. */
export const FAILURE_KINDS = ['lost', '5xx', '429', 'cut', 'silent', 'crash', 'outcomes'] as const

const above0 = v.pipe(v.number('a number above 0'), v.gtValue(0, 'a number above 0'))

const settings = named(
  v.object({
    name: optional(v.string(), 'The name of the code in reports. Default: `The code`.'),
    replayCall: optional(
      v.string(),
      'The source code that replays one schedule, with `REPLAY` as the placeholder for the schedule. Default: `REPLAY`.',
    ),
    for: optional(language, 'The language for the names of settings in reports. Default: `javascript`.'),
    faults: optional(
      v.number(),
      'The maximum number of failures in one schedule. Default: 1, or 0 with `copies`.',
      INTEGER,
    ),
    copies: optional(
      v.number(),
      'The number of copies of the code to run concurrently, from 1 to 3. Different orders of their requests are tried. Default: 1.',
      INTEGER,
    ),
    switches: optional(v.number(), 'The maximum number of switches between copies. Default: 2.', INTEGER),
    restart: optional(
      v.boolean(),
      'True to also try crashes: the code is killed after a request and called again. Default: false.',
    ),
    within: v.exactOptional(sentDuration("The maximum duration of a run, on the gateway's clock. Default: `6h`.")),
    max: optional(integerFrom(1), 'The maximum number of schedules. Default: 20,000.'),
    kinds: optional(
      listOfThese(FAILURE_KINDS),
      'The kinds of failures to try. Default: all except those that `also` adds.',
    ),
    also: optional(listOfThese(['late', 'slow']), 'Additional kinds of failures: `late`, `slow`. Default: none.'),
    replay: optional(v.string(), 'A single schedule to run, from a report. Default: all schedules.'),
    ignore: optional(texts, 'Paths to exclude from the comparison, such as `reserved_addrs.metadata`. Default: none.'),
    mayLeave: optional(
      texts,
      'The families whose resources the code may leave behind when it fails. The code is then called again. ' +
        'Default: none.',
    ),
    allow: optional(
      v.pipe(
        v.string(),
        v.check((text) => tries(() => new RegExp(text)), 'a regular expression'),
      ),
      'A regular expression for the errors that the code is allowed to fail with. Default: any error.',
    ),
    setup: optional(v.boolean(), 'True if each run starts with the `setup` step. Default: false.'),
    silence: optional(above0, 'How long a request may wait for its response, in real seconds. Default: 2.'),
    timeout: optional(above0, 'The maximum duration of a run, in real seconds. Default: 60.'),
    jobs: optional(
      above0,
      'The maximum number of concurrent runs; twice as many may also be waiting for a response. Use 1 if runs share files, ports, or a ' +
        'database. Default: 1.',
      INTEGER,
    ),
  }),
  'ExplorationSettings',
  'The settings of an exploration.',
)

export const SETTINGS: readonly string[] = Object.keys(settings.entries)

const id = documented(v.string(), 'The ID of the exploration.')
const run = documented(v.number(), 'The number of the run.')
const copy = documented(v.string(), 'The name of the copy: `A`, `B` or `C`.')
const life = documented(v.number(), "The number of this copy's call in this run, starting at 1.")

const step = named(
  v.object({
    do: documented(
      v.picklist(['setup', 'start', 'kill', 'finish']),
      '`setup` prepares the gateway for a run. `start` calls the code. `kill` ends a call to the code, like a ' +
        'crash. `finish` is the last step.',
    ),
    run: v.exactOptional(run),
    copy: v.exactOptional(copy),
    life: v.exactOptional(life),
    url: optional(v.string(), 'The base URL of the gateway, for this copy in this run.'),
    survives: optional(v.boolean(), 'True if the code survives. Present only at the end.'),
    report: optional(
      v.string(),
      'The summary, or the story of the smallest failing schedule. Present only at the end.',
    ),
    replay: optional(v.string(), 'The text of the smallest failing schedule. Present only at the end.'),
  }),
  'ExplorationStep',
  'The next step for the program that runs the code.',
)

const runEnd = named(
  v.object({
    id,
    run,
    copy: v.exactOptional(copy),
    life: v.exactOptional(life),
    error: optional(v.string(), 'The error with which the call ended. Absent if it succeeded.'),
  }),
  'RunEnd',
  'Reports the end of a `setup` step or of a call to the code, even if the call was killed.',
)

const start = controlCall({
  method: 'POST',
  path: '/explorations',
  summary: 'Start an exploration of the failures that break a program',
  from: 'body',
  schema: settings,
  response: v.object({ id }),
  errors: [gatewayErrors.gateways_unavailable, errors.exploration_invalid],
  run: async (host, input) => ({ id: await requireHost(host).start(input) }),
})

const next = controlCall({
  method: 'POST',
  path: '/explorations/next',
  summary: 'Wait for the next step of an exploration',
  from: 'body',
  schema: v.object({ id }),
  response: step,
  errors: [gatewayErrors.gateways_unavailable, errors.exploration_not_found],
  run: (host, input, signal) => requireHost(host).next(input.id, signal),
})

const ended = controlCall({
  method: 'POST',
  path: '/explorations/ended',
  summary: 'Report the end of an exploration step',
  from: 'body',
  schema: runEnd,
  errors: [gatewayErrors.gateways_unavailable],
  run: (host, input) => requireHost(host).ended(input),
})

/** Available only over HTTP. In the same process, use `survives` from `fauxgate/testing`. */
export const explorations: Control<object, typeof errors> = { calls: [start, next, ended], errors }

const requireHost = (host: ControlHost) => requireGatewayHost(host.hooks).explorations
