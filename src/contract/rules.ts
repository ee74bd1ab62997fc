/** The options that change rules; their meaning and defaults stand at `GatewayOptions`. Durations are in ms. */
export interface Rules {
  readonly references: 'any' | 'declared'
  readonly unknownActions: 'refuse' | 'accept'
  readonly keepBackendsOnPatch: boolean
  readonly addressesPerRegion: number
  readonly dns: 'off' | 'simulated'
  readonly provisioningDelay: number
  readonly certificateValidity: number
  readonly renewalLead: number
  readonly internalErrorBackoff: { readonly first: number; readonly most: number }
  readonly dnsErrorRetry: number
}
