import { ownPart } from '../operation/family.ts'

/** The options of a gateway for provisioning; their meaning and defaults stand at `GatewayOptions`. Durations are in ms. */
export interface ProvisioningRules {
  readonly dns: 'off' | 'simulated'
  readonly provisioningDelay: number
  readonly certificateValidity: number
  readonly renewalLead: number
  readonly internalErrorBackoff: { readonly first: number; readonly most: number }
  readonly dnsErrorRetry: number
}

/** The options of a gateway for provisioning. */
export const provisioningRules = ownPart<ProvisioningRules>()
