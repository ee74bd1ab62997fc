/** The certificates of agent ingresses. The API has no resources for them, so an ingress shows only the state of its job. */
import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'

type Managed = Pick<parts.ManagedDomain, 'domain' | 'policy' | 'renews_at' | 'job' | 'due'>

const { authority_invalid, private_key_type_invalid } = parts.domainErrors

/** The errors for a policy, shared with reserved domains. */
export const managementErrors = { authority_invalid, private_key_type_invalid }

const POLICY = 'The policy for automatically issuing certificates for the subdomains'

/** An ingress's columns for its certificate. */
export const managementColumns = {
  policy: parts.column({ kept: v.nullable(parts.managementPolicy), shown: false, first: null }),
  renews_at: parts.column({ kept: v.nullable(parts.scheduledTime), shown: false, first: null }),
  job: parts.column({ kept: v.nullable(parts.made(parts.managementJob)), shown: false, first: null }),
  /** The next attempt of the job or, without a job, the next renewal. */
  due: parts.column({
    kept: v.nullable(parts.made(v.object({ at: kit.dueTime, order: kit.sequenceNumber }))),
    shown: false,
    first: null,
  }),
  certificate_management_policy: parts.column({
    sent: parts.managementPolicyBody,
    kept: false,
    shown: kit.documented(v.nullable(parts.managementPolicyShape), `${POLICY}; null if there is none.`),
  }),
  certificate_management_status: parts.column({
    shown: kit.documented(
      v.nullable(parts.managementStatusShape),
      'The state of automatic issuance; null if there is no policy.',
    ),
  }),
}

/** Applies the policy in a body to an ingress and starts the job, unless the policy is unchanged. */
export function withSentPolicy<M extends Managed>(
  tx: kit.Transaction,
  ingress: M,
  sent: v.InferOutput<typeof parts.managementPolicyBody> | undefined,
): M {
  if (!sent) return ingress
  const { policy } = ingress
  const { authority, private_key_type = policy?.private_key_type ?? defaultKeyType(tx) } = sent
  if (policy?.authority === authority && policy.private_key_type === private_key_type) return ingress
  return { ...ingress, policy: { authority, private_key_type }, ...parts.startJob(tx) }
}

function defaultKeyType(tx: kit.Transaction) {
  return parts.domainDialect(tx.dialect).defaultPrivateKeyType
}

/** Runs the attempt that is due for an ingress, or starts its renewal. */
export function runDue<M extends Managed>(tx: kit.Transaction, ingress: M): M {
  const { job, domain } = ingress
  if (!job) return { ...ingress, ...parts.startJob(tx) }
  const failure = parts.takeScripted(tx, domain)?.failure
  const next = failure ? parts.scheduleRetry(tx, job, failure) : parts.scheduleRenewal(tx, tx.now)
  return { ...ingress, ...next }
}
