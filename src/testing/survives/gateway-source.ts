import type { ManualClock } from '../../core/engine/manual-clock.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { GatewayOptions } from '../../generated/options.ts'
import type { IssuedCertificate } from '../../service/x509/order.ts'
import { requireGateway } from '../matched-domain.ts'

/** The delay before a run at another time starts: 34 days, 1 hour, 1 minute, and 1 second. Most units of a date then differ. */
export const ELSEWHERE_MS = 2_941_261_000

/** Creates the gateways for runs. Equal certificate orders share a certificate, because issuing a certificate takes as long as a run. */
export class GatewaySource {
  readonly #createGateway: (options: GatewayOptions<ManualClock>) => Gateway
  readonly #options: Omit<GatewayOptions<ManualClock>, 'clock'>
  readonly #issued = new Map<string, IssuedCertificate>()

  constructor(
    createGateway: (options: GatewayOptions<ManualClock>) => Gateway,
    options: Omit<GatewayOptions<ManualClock>, 'clock'> = {},
  ) {
    this.#createGateway = createGateway
    this.#options = options
  }

  /** @param isElsewhere true for another seed, and so for other IDs, names, and secrets */
  create(clock: ManualClock, isElsewhere = false): Gateway<ManualClock> {
    const seed = isElsewhere ? { seed: 'survives elsewhere' } : {}
    const gateway = this.#createGateway({ seed: 'survives', ...this.#options, ...seed, clock })
    requireUsable(gateway, clock)
    gateway.transport.hooks.issue = (order, issue) => {
      const key = JSON.stringify(order)
      const certificate = this.#issued.get(key) ?? issue(order)
      this.#issued.set(key, certificate)
      return certificate
    }
    return gateway
  }
}

/** @throws TypeError if `create` did not create a gateway with the options that it received. */
function requireUsable(gateway: Gateway, clock: ManualClock): asserts gateway is Gateway<ManualClock> {
  requireGateway('create returned', gateway)
  if (gateway.clock === clock) return
  throw new TypeError(
    'create returned a gateway with another clock. Allowed: a gateway with the options that create receives, such as ' +
      '`create: (options) => createNgrok(options)`.',
  )
}
