import * as v from 'valibot'
import { Refusal, refuse } from '../contract/errors.ts'
import { pathIdProblems } from '../contract/ids.ts'
import { required } from '../contract/resource.ts'
import { as } from '../contract/schema.ts'
import type { Transaction } from '../contract/transaction.ts'
import { attempt } from '../provisioning/attempt.ts'
import { type DomainRecord, domains } from '../provisioning/domain-records.ts'
import { ANY_DOMAIN, changeScript, dropScripts, OUTCOMES, pendingOutcomes } from '../provisioning/outcomes.ts'
import { shownTimeline } from '../provisioning/transitions.ts'
import { shownDomain } from '../resources/reserved-domains.ts'
import { control, plainControl } from './control-operation.ts'

const outcome = v.picklist(OUTCOMES, as('field_invalid', { allowed: OUTCOMES.join(', ') }))

/** A domain's name, in any case; left out for any domain. */
const domain = v.optional(
  v.pipe(v.string(), v.minLength(1, as('field_invalid', { allowed: 'a domain name' })), v.toLowerCase()),
)

const id = v.string()

const outcomes = v.array(outcome)

const countAllowed = as('field_invalid', { allowed: 'an integer from 1 to 10000' })

const count = v.pipe(
  v.number(countAllowed),
  v.integer(countAllowed),
  v.minValue(1, countAllowed),
  v.maxValue(10_000, countAllowed),
)

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
      const ordered = Array.from({ length: times }, () => sent).flat()
      host.control((tx) =>
        changeScript(tx, name, ({ next, always: before }) => ({
          next: first ? [...ordered, ...next] : [...next, ...ordered],
          always: always ?? before,
        })),
      )
    },
  }),
  clear: control({
    method: 'DELETE',
    path: '/provisioning/script',
    summary: 'Drop the outcomes on order for a domain, or all',
    from: 'query',
    input: v.object({ domain }),
    run: (host, sent) => host.control((tx) => dropScripts(tx, sent.domain)),
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
  const [wrong] = pathIdProblems({ id }, { id: 'rd' })
  if (wrong) throw new Refusal([wrong])
  return required(tx, domains, id, 'reserved domain')
}

function attempted(tx: Transaction, id: string): DomainRecord {
  const domain = requiredDomain(tx, id)
  if (!domain.job) refuse('not_found', { what: 'provisioning job of', received: id }, { id })
  return tx.put(domains, attempt(tx, domain))
}
