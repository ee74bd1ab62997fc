import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { createGateway } from '../../gateway/gateway.ts'
import type { Transport, ViewedCollection } from '../../gateway/transport.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { GatewayOptions } from '../../generated/options.ts'
import type { IssuedCertificate } from '../../service/x509/order.ts'
import { requireServer, requireUsable, type Server } from './checks.ts'
import type { Copy } from './copy.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import type { World } from './world.ts'

const OTHER_SEED = 'survives elsewhere'

/** The gateways of the runs, and the servers of the `serve` option, one for each copy. */
export class Gateways {
  /** The URLs of the servers, by the names of the copies. */
  readonly urls = new Map<string, string>()
  readonly #world: World
  readonly #options: ParsedSurvivalOptions
  readonly #servers: Server[] = []
  /** The certificates of all runs, by certificate order. Cached because issuing a certificate takes as long as a run. */
  readonly #issued = new Map<string, IssuedCertificate>()
  #current: Gateway<ManualClock>
  /** The usual gateway, while another gateway is current. */
  #usual: Gateway<ManualClock> | undefined

  constructor(world: World, options: ParsedSurvivalOptions) {
    this.#world = world
    this.#options = options
    this.#current = this.#create()
  }

  /** The collections of the families. */
  get collections(): readonly ViewedCollection[] {
    return this.#current.transport.collections
  }

  /** Starts the servers. They serve the gateways of all runs. */
  async serve(names: readonly string[], findCopy: (name: string) => Copy | undefined): Promise<void> {
    const { serve } = this.#options
    for (const name of serve ? names : []) {
      const server = requireServer(await serve?.(this.#gatewayOfEachRun(() => findCopy(name))))
      this.#servers.push(server)
      this.urls.set(name, server.url)
    }
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.close()
    this.#current.dispose()
    this.#usual?.dispose()
  }

  /**
   * Returns a gateway for the next run: the last one, if it can be reset, which takes a third of the time needed to create one.
   * @param isElsewhere true for a gateway with another seed, which generates other ids, names and secrets
   */
  renew(isElsewhere: boolean): Gateway<ManualClock> {
    if (this.#usual) {
      this.#current.dispose()
      this.#current = this.#usual
      this.#usual = undefined
    }
    if (isElsewhere) {
      const { gatewayOptions, ...options } = this.#options
      this.#usual = this.#current
      this.#current = this.#make({ ...options, gatewayOptions: { ...gatewayOptions, seed: OTHER_SEED } })
    } else if (!this.#current.transport.renewed()) {
      this.#current.dispose()
      this.#current = this.#create()
      this.#current.transport.renewed()
    }
    const [server] = this.#servers
    if (server) this.#current.transport.servedAt(server.url)
    return this.#current
  }

  #make({ create, gatewayOptions }: ParsedSurvivalOptions): Gateway<ManualClock> {
    const options: GatewayOptions<ManualClock> = { seed: 'survives', ...gatewayOptions, clock: this.#world.clock }
    const gateway = create ? create(options) : createGateway(options)
    requireUsable(gateway, this.#world.clock)
    return gateway
  }

  #create(): Gateway<ManualClock> {
    const gateway = this.#make(this.#options)
    gateway.transport.hooks.issue = (order, issue) => {
      const key = JSON.stringify(order)
      const certificate = this.#issued.get(key) ?? issue(order)
      this.#issued.set(key, certificate)
      return certificate
    }
    return gateway
  }

  /** Returns a proxy for the gateway of the current run. Its requests count as one copy's. */
  #gatewayOfEachRun(findCopy: () => Copy | undefined): Gateway<ManualClock> {
    const transport = () => {
      const { transport } = this.#current
      const exchange: Transport['exchange'] = (request) => {
        const copy = findCopy()
        return copy ? this.#world.runAs(copy, () => transport.exchange(request)) : transport.exchange(request)
      }
      return { ...transport, exchange }
    }
    return new Proxy(this.#current, {
      get: (_first, name) => (name === 'transport' ? transport() : Reflect.get(this.#current, name, this.#current)),
    })
  }
}
