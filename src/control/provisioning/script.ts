import * as v from 'valibot'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { refuse } from '../../core/schema/errors.ts'
import { facts } from '../../core/schema/facts.ts'
import { general } from '../../core/schema/general-errors.ts'
import { isIdOf } from '../../core/schema/ids.ts'
import { integerFrom } from '../../core/schema/options.ts'
import { rule } from '../../core/schema/rule.ts'
import { quote } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import { normalizeName } from '../../service/provisioning/dns.ts'
import {
  ANY_DOMAIN,
  dropOutcome,
  dropOutcomes,
  failedAttempt,
  lastingOutcomes,
  listPendingOutcomes,
  listUnusedLasting,
  MAX_OUTCOMES,
  OUTCOMES,
  type Outcome,
  PROVISIONING_ERRORS,
  putLasting,
  scriptedOutcomes,
  scriptOutcomes,
} from '../../service/provisioning/outcomes.ts'
import { isServiceDomain } from '../../service/resources/reserved-domains/dialect.ts'
import { errors } from '../../service/resources/reserved-domains/errors.ts'
import { type NameError, nameErrors, nameProblem } from '../../service/resources/reserved-domains/names.ts'
import { type DomainRecord, domains } from '../../service/resources/reserved-domains/records.ts'
import { type ControlHost, controlCall } from '../control.ts'
import { requireDomain } from './domain-calls.ts'

const DETAILS_ALLOWED =
  'an object with one of these errors as outcome, and perhaps message (at most 1000 characters) and retriesAfter ("30m", or "-5m" for the past)'

const outcomeName = v.picklist(OUTCOMES, OUTCOMES.join(', '))

/** An outcome's name alone, or an error with its details. */
const outcome: v.GenericSchema<Outcome> = v.pipe(
  v.union([outcomeName, failedAttempt], `${OUTCOMES.join(', ')}, or ${DETAILS_ALLOWED}`),
  facts({ type: 'Outcome', imports: { Outcome: 'service/provisioning/outcomes.ts' } }),
)

/** The outcome of an attempt that fails. */
export const failedOutcome = v.union(
  [v.picklist(PROVISIONING_ERRORS), failedAttempt],
  `${PROVISIONING_ERRORS.join(', ')}, or ${DETAILS_ALLOWED}`,
)

const isDomainId = (text: string) => isIdOf(text, 'rd_')

const domain = v.optional(
  documented(
    v.pipe(
      v.string(),
      rule(Object.values<NameError>(nameErrors), (received, report) => {
        const error = isDomainId(received) ? undefined : nameProblem(normalizeName(received))
        if (error) report(error, {})
      }),
    ),
    'The domain: its name, which no domain needs to have yet, or its id. Default: any domain.',
  ),
)

const DOMAIN_ERRORS = [errors.policy_on_service_domain, general.not_found]

/** Returns the name of the domain that `received` is the name or the id of. Refuses a domain of the service: it has no attempts. */
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

export const script = controlCall({
  method: 'POST',
  path: '/provisioning/script',
  summary: 'Script the outcomes of the next attempts',
  commands: [
    {
      name: 'script',
      words: { outcomes: 'OUTCOME…' },
      example: 'DNS_ERROR success --domain app.example.com',
      notes: [
        `OUTCOME is one of ${OUTCOMES.join(', ')}. Each attempt of a certificate job takes the next one.`,
        'An error can have details: \'{"outcome":"DNS_ERROR","message":"No such host.","retriesAfter":"5m"}\'.',
        'After the last one, attempts succeed, or follow --always or the simulated DNS.',
      ],
    },
  ],
  from: 'body',
  schema: named(
    v.object({
      outcomes: documented(v.array(outcome), 'The outcomes of the next attempts, in this order.'),
      domain,
      times: v.optional(documented(integerFrom(1, MAX_OUTCOMES), 'The number of repetitions of the outcomes.'), 1),
      first: v.optional(
        documented(
          v.boolean(),
          'True puts these outcomes before the pending outcomes for the same domain. Default: after.',
        ),
        false,
      ),
      always: v.optional(
        documented(
          outcome,
          'The outcome of all attempts after the scripted ones for the same domain. It takes precedence over outcomes for any domain.',
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
})

export const clear = controlCall({
  method: 'DELETE',
  path: '/provisioning/script',
  summary: 'Drop the pending outcomes of one domain, or of all, or one',
  commands: [
    {
      name: 'script remove',
      summary: 'Drop the pending outcome with an id, which script show prints',
      words: { id: 'ID' },
      flags: [],
      example: 'outcome_1',
    },
    { name: 'script clear', summary: 'Drop the pending outcomes of one domain, or of all', flags: ['domain'] },
  ],
  from: 'query',
  schema: v.object({ domain, id: v.optional(documented(v.string(), 'Only the outcome with this id.')) }),
  errors: DOMAIN_ERRORS,
  run: (host, sent) =>
    host.transact((tx) => {
      const { id } = sent
      if (id === undefined) dropOutcomes(tx, requireDomainName(tx, host, sent.domain))
      else if (!dropOutcome(tx, id))
        refuse(general.not_found, { what: 'outcome with the id', received: quote(id) }, { id })
    }),
})

const outcomeFields = {
  domain: documented(v.nullable(v.string()), 'The domain; null for any.'),
  outcome: documented(outcomeName, 'The outcome of the attempt.'),
  message: v.exactOptional(documented(v.string(), 'The `msg` of the job, if it was scripted.')),
  retriesAfter: v.exactOptional(
    documented(v.union([v.string(), v.number()]), 'The time from the attempt to `retries_at`, if it was scripted.'),
  ),
  always: v.exactOptional(documented(v.literal(true), 'True for the outcome of all attempts after the scripted ones.')),
}

export const pendingOutcome = named(
  v.object(outcomeFields),
  'PendingOutcome',
  'An outcome of an attempt to come or, with `always`, of all attempts to come.',
)

const listedOutcome = named(
  v.object({ id: documented(v.string(), 'The id that `DELETE` takes.'), ...outcomeFields }),
  'ListedOutcome',
  'A pending outcome with its id.',
)

export const pending = controlCall({
  method: 'GET',
  path: '/provisioning/script',
  summary: 'List the outcomes of the attempts to come',
  commands: [{ name: 'script show' }],
  response: v.array(listedOutcome),
  run: (host) => host.transact(listPendingOutcomes),
})

function requireRoomForScripted(tx: Transaction, added: number): void {
  const before = tx.count(scriptedOutcomes)
  if (before + added <= MAX_OUTCOMES) return
  const received = `${added} outcomes, with ${before} pending already`
  refuse(general.field_invalid, { field: 'outcomes', received, allowed: `at most ${MAX_OUTCOMES} pending in all` })
}

function requireRoomForLasting(tx: Transaction, domain: string): void {
  if (tx.get(lastingOutcomes, domain) || tx.count(lastingOutcomes) < MAX_OUTCOMES) return
  const received = `for one domain more than the ${MAX_OUTCOMES} that have one already`
  refuse(general.field_invalid, { field: 'always', received, allowed: `at most ${MAX_OUTCOMES} domains` })
}

const MAX_NAMED = 20
const MAX_EXPLAINED = 5

/** Describes the outcomes that no attempt has used, and why; undefined if there are none. */
export function describeUnusedOutcomes(tx: Transaction): string | undefined {
  const lasting = listUnusedLasting(tx).map(({ domain, outcome }) => ({
    domain: domain === ANY_DOMAIN ? null : domain,
    outcome: `always ${outcome}`,
  }))
  const unused = [...listPendingOutcomes(tx).filter(({ always }) => !always), ...lasting]
  if (unused.length === 0) return undefined
  const texts = unused.slice(0, MAX_NAMED).map(({ domain, outcome }) => `${outcome} for ${domain ?? 'any domain'}`)
  const more = unused.length > MAX_NAMED ? ` and ${unused.length - MAX_NAMED} more` : ''
  const scopes = [...new Set(unused.map(({ domain }) => domain))].slice(0, MAX_EXPLAINED)
  const reasons = scopes.map(
    (domain) => `\n  ${domain ?? 'any domain'}: ${domain ? explainUnused(tx, domain) : explainUnusedForAny(tx)}.`,
  )
  return `No attempt used these outcomes: ${texts.join(', ')}${more}.${reasons.join('')}`
}

function explainUnused(tx: Transaction, name: string): string {
  const domain = tx.find(domains, 'domain', name)
  if (!domain) return `no domain of that name is reserved${describeNewest(tx)}`
  if (!domain.policy) return 'it has no certificate management policy, so there are no attempts'
  return `${domain.job ? 'its next attempt' : 'its renewal'} is due ${describeDue(domain, tx)}`
}

const MAX_NEWEST = 5

function describeNewest(tx: Transaction): string {
  const names = [...tx.newestFirst(domains)].slice(0, MAX_NEWEST).map(({ domain }) => domain)
  return names.length === 0 ? '' : `; the newest are ${names.join(', ')}`
}

function explainUnusedForAny(tx: Transaction): string {
  let next: DomainRecord | undefined
  for (const domain of tx.newestFirst(domains)) {
    if (domain.due && !(next?.due && next.due.at < domain.due.at)) next = domain
  }
  if (!next) return 'no domain has a pending attempt or renewal'
  return `the next ${next.job ? 'attempt' : 'renewal'}, of ${next.domain}, is due ${describeDue(next, tx)}`
}

function describeDue({ due }: DomainRecord, tx: Transaction): string {
  return due ? `at ${timestamp(due.at)}, and it is ${timestamp(tx.now)}` : 'after the year 9999'
}
