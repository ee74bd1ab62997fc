import { lastingOutcomes, scriptedOutcomes } from '../../service/provisioning/outcomes.ts'
import { type Control, createMembers } from '../control.ts'
import { type DomainMembers, domainCalls, errors } from './domain-calls.ts'
import { type ScriptMembers, scriptCalls } from './script.ts'

const calls = [...scriptCalls, ...domainCalls] as const

/**
 * Scripted outcomes of provisioning attempts, and a view of what provisioning did. Each call that takes a domain takes its
 * name or its id.
 */
export interface Provisioning extends ScriptMembers, DomainMembers {}

export interface ProvisioningMember {
  /** Controls provisioning, and shows what it did. */
  readonly provisioning: Provisioning
}

export const provisioning: Control<ProvisioningMember, typeof errors> = {
  errors,
  calls,
  state: () => ({ collections: [scriptedOutcomes, lastingOutcomes] }),
  members: (host) => ({ provisioning: createMembers(calls, host) }),
}
