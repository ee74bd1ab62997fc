import type { Family } from '../contract/resource.ts'
import { orderedOutcomes, standingOutcomes } from './outcomes.ts'
import { zone } from './zone.ts'

/** What provisioning keeps beside the domains and their certificates. It has no operations of the service's own. */
export const provisioningState: Family<Record<never, never>> = {
  operations: {},
  collections: [orderedOutcomes, standingOutcomes, zone],
}
