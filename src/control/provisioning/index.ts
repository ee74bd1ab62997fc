import { lastingOutcomes, scriptedOutcomes } from '../../service/provisioning/outcomes.ts'
import { type Control, createMembers } from '../control.ts'
import { type DomainMembers, domainCalls, errors } from './domain-calls.ts'
import { type ScriptMembers, scriptCalls } from './script.ts'

const calls = [...scriptCalls, ...domainCalls] as const

/** Scripts the outcomes of provisioning attempts, and shows their history. Methods that take a domain accept its name or its ID. */
export interface Provisioning extends ScriptMembers, DomainMembers {}

export interface ProvisioningMember {
  /** Scripted provisioning outcomes, and the history of provisioning. */
  readonly provisioning: Provisioning
}

export const provisioning: Control<ProvisioningMember, typeof errors> = {
  errors,
  calls,
  state: () => ({ collections: [scriptedOutcomes, lastingOutcomes] }),
  members: (host) => ({ provisioning: createMembers(calls, host) }),
}
