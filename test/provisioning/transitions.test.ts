import { describe, expect, test } from 'vitest'
import type { Transaction } from '../../src/operation/transaction.ts'
import { transit, type transitions } from '../../src/provisioning/transitions.ts'
import type { DomainRecord } from '../../src/resources/reserved-domains/records.ts'

const job = { error_code: null, msg: '', started_at: 0, retries_at: null, internal_errors: 0 }
const failed = { ...job, error_code: 'DNS_ERROR' }
const policy = { authority: 'letsencrypt', private_key_type: 'rsa' }
const certificate_id = 'cert_1'

/** A domain in each state that there is: (certificate, job) under a policy, or none. */
const states: Record<string, object> = {
  unmanaged: { policy: null, job: null, certificate_id },
  provisioning: { policy, job, certificate_id: null },
  failing: { policy, job: failed, certificate_id: null },
  issued: { policy, job: null, certificate_id },
  renewing: { policy, job, certificate_id },
  'renewal failing': { policy, job: failed, certificate_id },
}

/** From where each transition leads, as docs/provisioning.md tells it. */
const from: Record<keyof typeof transitions, readonly string[]> = {
  started: ['unmanaged', 'issued'],
  failed: ['provisioning', 'failing'],
  retried: ['failing', 'renewal failing'],
  issued: ['provisioning', 'failing'],
  'renewal started': ['issued'],
  'renewal failed': ['renewing', 'renewal failing'],
  renewed: ['renewing', 'renewal failing'],
  cancelled: ['provisioning', 'failing', 'renewing', 'renewal failing'],
}

describe('The table of transitions (rules: provisioning-jobs#state)', () => {
  test.each(Object.keys(from) as (keyof typeof from)[])('lets a domain be "%s" from its states only', (transition) => {
    for (const [state, parts] of Object.entries(states)) {
      // No transaction: what is not allowed is refused before anything is looked at.
      const take = () =>
        transit({} as Transaction, { ...parts, timeline: [] } as unknown as DomainRecord, transition, {} as never)
      const refusal = `A domain that is ${state} cannot be "${transition}".`
      if (from[transition].includes(state)) expect(take).not.toThrow(refusal)
      else expect(take).toThrow(refusal)
    }
  })
})
