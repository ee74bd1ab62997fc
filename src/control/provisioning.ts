import * as v from 'valibot'
import { isServiceDomain } from '../contract/dialect.ts'
import { nameProblem } from '../contract/domain-names.ts'
import { refuse } from '../contract/errors.ts'
import { requireId } from '../contract/ids.ts'
import { bodyReader } from '../contract/request-body.ts'
import { required } from '../contract/resource.ts'
import { as, type Report, type RuleContext, rule } from '../contract/schema.ts'
import type { Transaction } from '../contract/transaction.ts'
import { attempt } from '../provisioning/attempt.ts'
import { normalName } from '../provisioning/dns-names.ts'
import { type DomainRecord, domains } from '../provisioning/domain-records.ts'
import {
  ANY_DOMAIN,
  dropOutcomes,
  MOST_ON_ORDER,
  OUTCOMES,
  orderedOutcomes,
  orderOutcomes,
  pendingOutcomes,
  standingOutcomes,
} from '../provisioning/outcomes.ts'
import { shownTimeline } from '../provisioning/transitions.ts'
import { shownDomain } from '../resources/reserved-domains.ts'
import { control, plainControl } from './control-operation.ts'

const outcome = v.picklist(OUTCOMES, as('field_invalid', { allowed: OUTCOMES.join(', ') }))

/** The name of a domain that can have a policy, for only such a domain has attempts; left out for any domain. */
const domain = v.optional(v.pipe(v.string(), rule<string>(checkManageable), v.transform(normalName)))

function checkManageable(received: string, report: Report, { dialect }: RuleContext): void {
  const name = normalName(received)
  const key = nameProblem(name)
  if (key) report(key, {})
  else if (isServiceDomain(dialect, name)) report('policy_on_service_domain', {})
}

const id = v.string()

const outcomes = v.array(outcome)

const countAllowed = as('field_invalid', { allowed: `an integer from 1 to ${MOST_ON_ORDER}` })

const count = v.pipe(
  v.number(countAllowed),
  v.integer(countAllowed),
  v.minValue(1, countAllowed),
  v.maxValue(MOST_ON_ORDER, countAllowed),
)

/** Reads what the calls of the direct API that order outcomes take besides these. */
export const readOrderOptions = {
  forDomain: bodyReader(v.object({ domain })),
  forTimes: bodyReader(v.object({ domain, times: v.optional(count) })),
}

export const provisioningControls = {
  script: control({
    method: 'POST',
    path: '/provisioning/script',
    summary: 'Order the outcomes of the next attempts',
    from: 'body',
    input: v.object({
      outcomes,
      domain,
      /** How often the outcomes are repeated. */
      times: v.optional(count, 1),
      /** Before what is on order already, instead of behind it. */
      first: v.optional(v.boolean(), false),
      /** What all attempts after the scripted ones come to. */
      always: v.optional(outcome),
    }),
    run(host, { outcomes: sent, times, domain: name = ANY_DOMAIN, first, always }) {
      host.control((tx) => {
        requireRoom(tx, sent.length * times)
        orderOutcomes(tx, name, Array.from({ length: times }, () => sent).flat(), first)
        if (always) putStanding(tx, name, always)
      })
    },
  }),
  clear: control({
    method: 'DELETE',
    path: '/provisioning/script',
    summary: 'Drop the outcomes on order for a domain, or all',
    from: 'query',
    input: v.object({ domain }),
    run: (host, sent) => host.control((tx) => dropOutcomes(tx, sent.domain)),
  }),
  pending: plainControl({
    method: 'GET',
    path: '/provisioning/script',
    summary: 'The outcomes that no attempt has used',
    run: (host) => host.control(pendingOutcomes),
  }),
  attempt: control({
    method: 'POST',
    path: '/provisioning/attempt',
    summary: "Run the attempt of a domain's job now",
    from: 'body',
    input: v.object({ id }),
    run: (host, sent) => host.control((tx) => shownDomain(tx, attempted(tx, sent.id))),
  }),
  timeline: control({
    method: 'GET',
    path: '/provisioning/timeline',
    summary: "What a domain's provisioning did",
    from: 'query',
    input: v.object({ id }),
    run: (host, sent) => host.control((tx) => shownTimeline(requiredDomain(tx, sent.id).timeline, tx.rules)),
  }),
}

/** The domain of an id, or the refusal that it is none or that there is none. */
export function requiredDomain(tx: Transaction, id: string): DomainRecord {
  requireId(id, 'rd')
  return required(tx, domains, id, 'reserved domain')
}

function attempted(tx: Transaction, id: string): DomainRecord {
  const domain = requiredDomain(tx, id)
  if (!domain.job) refuse('not_found', { what: 'provisioning job of', received: id }, { id })
  return tx.put(domains, attempt(tx, domain))
}

function requireRoom(tx: Transaction, asked: number): void {
  const before = tx.count(orderedOutcomes)
  if (before + asked <= MOST_ON_ORDER) return
  const received = `${asked} outcomes, with ${before} on order already`
  refuse('field_invalid', { field: 'outcomes', received, allowed: `at most ${MOST_ON_ORDER} on order in all` })
}

function putStanding(tx: Transaction, domain: string, always: (typeof OUTCOMES)[number]): void {
  if (!tx.get(standingOutcomes, domain) && tx.count(standingOutcomes) >= MOST_ON_ORDER) {
    const received = `for one domain more than the ${MOST_ON_ORDER} that have one already`
    refuse('field_invalid', { field: 'always', received, allowed: `at most ${MOST_ON_ORDER} domains` })
  }
  tx.put(standingOutcomes, { domain, outcome: always })
}
