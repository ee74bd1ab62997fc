import { clockControls } from './clock.ts'
import { type ControlOperation, plainControl } from './control-operation.ts'
import { declareControl } from './declare.ts'
import { dnsControls } from './dns.ts'
import { faultControls } from './faults.ts'
import { provisioningControls } from './provisioning.ts'
import { journalControls, stateControls } from './state.ts'

/** All controls of a gateway. Their HTTP paths stand below `/_fauxgate`. */
export const controls: readonly ControlOperation[] = [
  plainControl({ method: 'POST', path: '/reset', summary: 'Back to the initial state', run: (host) => host.reset() }),
  ...Object.values(clockControls),
  ...Object.values(provisioningControls),
  ...Object.values(dnsControls),
  ...Object.values(faultControls),
  ...Object.values(journalControls),
  ...Object.values(stateControls),
  declareControl,
  plainControl({
    method: 'GET',
    path: '/authority.pem',
    summary: "The authority's root certificate",
    mediaType: 'application/x-pem-file',
    run: (host) => host.authority().certificatePem,
  }),
]
