import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { createGateway } from '../../gateway/gateway.ts'
import type { Transport, ViewedCollection } from '../../gateway/transport.ts'
import type { Gateway } from '../../gateway/types.ts'
import { requireServer, type Server } from './checks.ts'
import type { Copy } from './copy.ts'
import { GatewaySource } from './gateway-source.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import type { World } from './world.ts'

/** The gateways of the runs and, with the `serve` option, a server for each copy. */
export class Gateways {
  /** The URLs of the servers, by the names of the copies. */
  readonly urls = new Map<string, string>()
  readonly #world: World
  readonly #serve: ParsedSurvivalOptions['serve']
  readonly #source: GatewaySource
  readonly #servers: Server[] = []
  #current: Gateway<ManualClock>
  /** The usual gateway, while another gateway is current. */
  #usual: Gateway<ManualClock> | undefined

  constructor(world: World, { create = createGateway, gatewayOptions, serve }: ParsedSurvivalOptions) {
    this.#world = world
    this.#serve = serve
    this.#source = new GatewaySource(create, gatewayOptions)
    this.#current = this.#source.create(world.clock)
  }

  /** The collections of the families. */
  get collections(): readonly ViewedCollection[] {
    return this.#current.transport.collections
  }

  /** Starts the servers. They serve the gateways of all runs. */
  async serve(names: readonly string[], findCopy: (name: string) => Copy | undefined): Promise<void> {
    const serve = this.#serve
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
   * Returns a gateway for the next run: the previous gateway if it can be reset. A reset takes a third of the time needed to create a
   * gateway.
   * @param isElsewhere true for a gateway with another seed, and so with other IDs, names, and secrets
   */
  renew(isElsewhere: boolean): Gateway<ManualClock> {
    if (this.#usual) {
      this.#current.dispose()
      this.#current = this.#usual
      this.#usual = undefined
    }
    const { clock } = this.#world
    if (isElsewhere) {
      this.#usual = this.#current
      this.#current = this.#source.create(clock, true)
    } else if (!this.#current.transport.renewed()) {
      this.#current.dispose()
      this.#current = this.#source.create(clock)
      this.#current.transport.renewed()
    }
    const [server] = this.#servers
    if (server) this.#current.transport.servedAt(server.url)
    return this.#current
  }

  /** Returns a proxy for the gateway of the current run. Its requests count as requests from one copy. */
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
