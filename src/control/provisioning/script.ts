import * as v from 'valibot'
import type { Transaction } from '../../core/operation/transaction.ts'
import { NO_VALUES, requireValues } from '../../core/schema/arguments.ts'
import { assertNoProblem } from '../../core/schema/assertion-error.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { isIdOf } from '../../core/schema/ids.ts'
import { integerFrom, optionsOf, readCallOptions } from '../../core/schema/options.ts'
import { rule } from '../../core/schema/rule.ts'
import { quote } from '../../core/schema/text.ts'
import type { PendingOutcome } from '../../generated/controls.ts'
import { normalizeName } from '../../service/provisioning/dns.ts'
import {
  ANY_DOMAIN,
  dropOutcome,
  dropOutcomes,
  lastingOutcomes,
  listPendingOutcomes,
  MAX_OUTCOMES,
  OUTCOMES,
  type Outcome,
  putLasting,
  scriptedOutcomes,
  scriptOutcomes,
} from '../../service/provisioning/outcomes.ts'
import { isServiceDomain } from '../../service/resources/reserved-domains/dialect.ts'
import { errors } from '../../service/resources/reserved-domains/errors.ts'
import { type NameError, nameErrors, nameFacts, nameProblem } from '../../service/resources/reserved-domains/names.ts'
import { type ControlHost, controlCall, membersOf } from '../control.ts'
import { requireDomain } from './domain-calls.ts'
import { failedOutcome, outcome, outcomeName } from './outcome.ts'
import { describeUnusedOutcomes } from './unused-outcomes.ts'

const isDomainId = (text: string) => isIdOf(text, 'rd_')

const domain = v.optional(
  documented(
    v.pipe(
      v.string(),
      rule(Object.values<NameError>(nameErrors), (received, report) => {
        const error = isDomainId(received) ? undefined : nameProblem(normalizeName(received))
        if (error) report(error, nameFacts(normalizeName(received)))
      }),
    ),
    'The ID of a domain, or its name, even before it is reserved. Default: any domain.',
  ),
)

const DOMAIN_ERRORS = [errors.policy_on_service_domain, general.not_found]

/** Returns the name of the domain with the name or ID `received`. Rejects a service domain, because such domains don't have attempts. */
function requireDomainName(
  tx: Transaction,
  { dialect }: ControlHost,
  received: string | undefined,
): string | undefined {
  if (received === undefined) return undefined
  const name = isDomainId(received) ? requireDomain(tx, received).domain : normalizeName(received)
  if (!isServiceDomain(dialect, name)) return name
  return refuse(errors.policy_on_service_domain, { field: 'domain', received: quote(received) })
}

/** The domain to script an outcome for. Default: any domain. */
export interface ForDomain {
  /** A name that can have a policy, reserved or not, or a domain's ID. The name's case and a trailing dot don't matter. */
  readonly domain?: string
}

/** The names of the options. The calls check their values. */
const forDomain = optionsOf({ domain: v.optional(v.unknown()) })
const forTimes = optionsOf({ domain: v.optional(v.unknown()), times: v.optional(v.unknown()) })

/** Rejects outcomes that are not failures. With `failNext('success')`, a test that expects a failure would pass without one. */
function requireFailure(error: unknown): void {
  readCallOptions(failedOutcome, error, { whole: 'error' })
}

const script = controlCall({
  method: 'POST',
  path: '/provisioning/script',
  summary: 'Script the outcomes of the next attempts',
  commands: [
    {
      name: 'script',
      words: { outcomes: 'OUTCOME…' },
      example: 'DNS_ERROR success --domain app.example.com',
      notes: [
        `OUTCOME is one of ${OUTCOMES.join(', ')}, or a numbered error such as ERR_NGROK_26014. Each attempt of a certificate job takes the next outcome.`,
        'An error can have details: \'{"outcome":"DNS_ERROR","message":"No such host.","retriesAfter":"5m"}\'.',
        'After the last outcome, attempts succeed, or follow --always or the simulated DNS.',
      ],
    },
  ],
  from: 'body',
  schema: named(
    v.object({
      outcomes: documented(v.array(outcome), 'The outcomes of the next attempts, in this order.'),
      domain,
      times: v.optional(documented(integerFrom(1, MAX_OUTCOMES), 'How many times to use the outcomes. Default: 1.'), 1),
      first: v.optional(
        documented(
          v.boolean(),
          'True to use these outcomes before the pending ones for the same domain, instead of after them.',
        ),
        false,
      ),
      always: v.optional(
        documented(
          outcome,
          'The outcome of all attempts after those scripted for the same domain. It takes precedence over outcomes for any domain.',
        ),
      ),
    }),
    'ProvisioningScript',
    'Outcomes to script.',
  ),
  errors: DOMAIN_ERRORS,
  run(host, { outcomes: sent, times, domain, first, always }) {
    host.transact((tx) => {
      const name = requireDomainName(tx, host, domain) ?? ANY_DOMAIN
      requireRoomForScripted(tx, sent.length * times)
      scriptOutcomes(tx, name, Array.from({ length: times }, () => sent).flat(), first)
      if (always) {
        requireRoomForLasting(tx, name)
        putLasting(tx, name, always)
      }
    })
  },
  members(call) {
    const run = (sent: object, options: unknown, schema: v.GenericSchema<object, object> = forDomain) => {
      requireValues(options, ['domain', 'times'], NO_VALUES)
      call({ ...readCallOptions(schema, options), ...sent })
    }
    return {
      /**
       * Scripts the outcomes of the next attempts, one outcome per attempt, after those that are already scripted. Outcomes
       * for one domain take precedence over outcomes for any domain. At most 10,000 outcomes can be pending.
       * @throws GatewayError `field_invalid` for an outcome that is not allowed, `policy_on_service_domain` for a service domain,
       * `not_found` for an unknown ID.
       *
       * @example
       * ```ts
       * gateway.provisioning.script(['DNS_ERROR', 'INTERNAL_ERROR', 'success'], { domain: 'app.example.com' })
       * gateway.provisioning.script([{ outcome: 'DNS_ERROR', message: 'No such host.', retriesAfter: '5m' }])
       * gateway.provisioning.script(['ERR_NGROK_26014']) // a DNS_ERROR whose msg has the code
       * ```
       */
      script: (outcomes: readonly Outcome[], options: ForDomain = {}): void => run({ outcomes }, options),
      /**
       * Makes the next attempt, or the next `times` attempts, fail. Outcomes already scripted for the same domain follow. Without `domain`,
       * this applies to any domain without scripted outcomes. Throws the same errors as `script`.
       *
       * @example
       * ```ts
       * gateway.provisioning.failNext('DNS_ERROR', { domain: 'app.example.com', times: 2 })
       * ```
       */
      failNext(error: Exclude<Outcome, 'success'>, options: ForDomain & { readonly times?: number } = {}): void {
        requireFailure(error)
        run({ outcomes: [error], first: true }, options, forTimes)
      },
      /**
       * Makes every attempt fail until you call `clear`. Outcomes scripted for the same domain come first. With `domain`, scripts for any
       * domain no longer apply to that domain. Throws the same errors as `script`.
       *
       * @example
       * ```ts
       * gateway.provisioning.failAlways('DNS_ERROR', { domain: 'broken.example.com' })
       * gateway.provisioning.script(['success']) // for the other domains
       * ```
       */
      failAlways(error: Exclude<Outcome, 'success'>, options: ForDomain = {}): void {
        requireFailure(error)
        run({ outcomes: [], always: error }, options)
      },
    }
  },
})

const clear = controlCall({
  method: 'DELETE',
  path: '/provisioning/script',
  summary: 'Drop one pending outcome, those for one domain, or all',
  commands: [
    {
      name: 'script remove',
      summary: 'Drop the pending outcome with this ID, as printed by script show',
      words: { id: 'ID' },
      flags: [],
      example: 'outcome_1',
    },
    {
      name: 'script clear',
      summary: 'Drop the pending outcomes for one domain, or for all domains',
      flags: ['domain'],
    },
  ],
  from: 'query',
  schema: v.object({ domain, id: v.optional(documented(v.string(), 'Only the outcome with this ID.')) }),
  errors: DOMAIN_ERRORS,
  run: (host, sent) =>
    host.transact((tx) => {
      const { id } = sent
      if (id === undefined) dropOutcomes(tx, requireDomainName(tx, host, sent.domain))
      else if (!dropOutcome(tx, id))
        refuse(general.not_found, { what: 'outcome with the ID', received: quote(id) }, { id })
    }),
  members: (call) => ({
    /** Drops all pending outcomes or, with `domain`, only those for that domain. */
    clear(options: ForDomain = {}): void {
      requireValues(options, ['domain'], NO_VALUES)
      call(readCallOptions(forDomain, options))
    },
  }),
})

const outcomeFields = {
  domain: documented(v.nullable(v.string()), 'The domain; null for any domain.'),
  outcome: documented(outcomeName, 'The outcome of the attempt.'),
  error: v.exactOptional(documented(v.string(), 'The key of the numbered error, if one was scripted.')),
  message: v.exactOptional(documented(v.string(), 'The `msg` of the job, if it was scripted.')),
  retriesAfter: v.exactOptional(
    documented(v.union([v.string(), v.number()]), 'The time from the attempt to `retries_at`, if it was scripted.'),
  ),
  always: v.exactOptional(
    documented(v.literal(true), 'True for the outcome of all attempts after the scripted outcomes.'),
  ),
}

export const pendingOutcome = named(
  v.object(outcomeFields),
  'PendingOutcome',
  'The outcome of a future attempt or, with `always`, of all future attempts.',
)

const listedOutcome = named(
  v.object({ id: documented(v.string(), 'The ID to pass to `DELETE`.'), ...outcomeFields }),
  'ListedOutcome',
  'A pending outcome with its ID.',
)

const pending = controlCall({
  method: 'GET',
  path: '/provisioning/script',
  summary: 'List the outcomes of the next attempts',
  commands: [{ name: 'script show' }],
  response: v.array(listedOutcome),
  run: (host) => host.transact(listPendingOutcomes),
  members: (call, host) => ({
    /** Returns the scripted outcomes that no attempt has used, except those of `failAlways`. A null `domain` means any domain. */
    pendingOutcomes: (): readonly PendingOutcome[] =>
      call().flatMap(({ id: _, always, ...rest }) => (always ? [] : rest)),
    /**
     * Throws an error if there are scripted outcomes that no attempt has used, or a `failAlways` that made no attempt fail. The error lists
     * them, and why each is unused.
     */
    assertNoPendingOutcomes: (): void => assertNoProblem(host.transact(describeUnusedOutcomes)),
  }),
})

export const scriptCalls = [script, clear, pending] as const
const members = /* @__PURE__ */ membersOf(scriptCalls)

/** The members that script outcomes. */
export interface ScriptMembers extends NonNullable<typeof members> {}

function requireRoomForScripted(tx: Transaction, added: number): void {
  const before = tx.count(scriptedOutcomes)
  if (before + added <= MAX_OUTCOMES) return
  const received = `${added} outcomes, with ${before} pending already`
  refuse(general.field_invalid, { field: 'outcomes', received, allowed: `at most ${MAX_OUTCOMES} pending outcomes` })
}

function requireRoomForLasting(tx: Transaction, domain: string): void {
  if (tx.get(lastingOutcomes, domain) || tx.count(lastingOutcomes) < MAX_OUTCOMES) return
  const received = `for a new domain when ${MAX_OUTCOMES} domains already have a lasting outcome`
  refuse(general.field_invalid, { field: 'always', received, allowed: `at most ${MAX_OUTCOMES} domains` })
}
