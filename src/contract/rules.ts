/** The options that change rules; their meaning and defaults stand at `GatewayOptions`. Durations are in ms. */
export interface Rules {
  readonly references: 'any' | 'declared'
  readonly unknownActions: 'refuse' | 'accept'
  readonly keepBackendsOnPatch: boolean
  readonly addressesPerRegion: number
  readonly provisioningDelay: number
}
