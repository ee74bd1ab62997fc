import type { GatewayHost } from '../control/gateway-host.ts'
import { errors } from '../control/gateways.ts'
import { isManual, readClock, systemClock } from '../core/engine/clock.ts'
import { manualClock } from '../core/engine/manual-clock.ts'
import { createSecret } from '../core/engine/random.ts'
import type { Families } from '../core/operation/family.ts'
import { bodyReader } from '../core/schema/body.ts'
import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { quote } from '../core/schema/text.ts'
import { timestamp } from '../core/schema/time.ts'
import { GatewayError } from '../gateway/gateway-error.ts'
import { type HostedOptions, hostedOptions, refuseInvalidOptions, toPassedOptions } from '../gateway/hosted-options.ts'
import { createPlace, splitName } from '../gateway/http/place.ts'
import { splitUrl } from '../gateway/http/url.ts'
import { openApi } from '../gateway/openapi/openapi.ts'
import type { AnyOptions } from '../gateway/options.ts'
import type { Gateway } from '../gateway/types.ts'
import { dialects } from '../service/resources/dialects.ts'
import type { FindTarget, Responders } from './connection.ts'
import { Explorations } from './explorations/explorations.ts'
import { Inspector } from './inspector.ts'
import { PackedDocuments } from './packed-documents.ts'

/** The path below which the server serves additional gateways, each under its name. */
const GATEWAYS_PATH = '/g'

/** Returns the path of an additional gateway under its server's URL, or an empty string for the gateway at that URL itself. */
export function pathOf({ url }: Gateway): string {
  return /\/g\/[^/]*$/.exec(url)?.[0] ?? ''
}

/** The real time after which an idle gateway is removed, in ms. */
const FORGOTTEN_AFTER_MS = 3_600_000

interface Further {
  readonly responders: Responders
  readonly removal: AbortController
  /** The real time of the most recent request, in ms. */
  usedAt: number
}

/** A server's gateways: the gateway at the server's own URL, and additional gateways, each at a path with its name. */
export class Gateways {
  readonly home: Gateway
  readonly #homeResponders: Responders
  /** The additional gateways by name, least recently used first. */
  readonly #further = new Map<string, Further>()

  constructor(home: Gateway, name: string | null) {
    this.home = home
    this.#homeResponders = createResponders(home, name)
    home.transport.hooks.gatewayHost = this.#hostFor(home)
  }

  /** Returns the target of a request for a URL. */
  readonly findTarget: FindTarget = (url) => {
    const responders = this.#homeResponders
    if (!url.includes(`${GATEWAYS_PATH}/`)) return { responders, url }
    const { path, query } = splitUrl(url, this.home.url)
    const split = splitName(GATEWAYS_PATH, path)
    if (!split) return { responders, url }
    const { name } = split
    const further = this.#use(name)
    if (!further)
      return {
        responders,
        url,
        missing: () => this.home.transport.refused(errors.gateway_not_found, { name: quote(name) }),
      }
    const { below } = createPlace(name, this.#urlOf(name), split.below, query && `?${query}`)
    return { responders: further.responders, url: below }
  }

  /** Removes all additional gateways, and ends all explorations. */
  close(): void {
    this.home.transport.hooks.gatewayHost?.explorations.close()
    for (const name of [...this.#further.keys()]) this.#remove(name)
  }

  /** Returns a gateway, and marks it as the most recently used. */
  #use(name: string): Further | undefined {
    this.#forgetUnused()
    const found = this.#further.get(name)
    if (!found) return undefined
    found.usedAt = readClock(systemClock)
    this.#further.delete(name)
    this.#further.set(name, found)
    return found
  }

  #forgetUnused(): void {
    const since = readClock(systemClock) - FORGOTTEN_AFTER_MS
    for (const [name, { usedAt }] of this.#further) {
      if (usedAt > since) return
      this.#remove(name)
    }
  }

  /** Returns the host for a gateway's controls. The gateways that these controls create use the same options. */
  #hostFor(parent: Gateway): GatewayHost {
    return {
      create: async (sent, context) => {
        const gateway = await createSibling(parent, readHosted(sent, {}, context))
        this.#forgetUnused()
        return this.#add(gateway)
      },
      remove: (name) => void (this.#remove(name) || refuse(errors.gateway_not_found, { name: quote(name) })),
      explorations: new Explorations({
        parent,
        add: (gateway) => this.#add(gateway),
        remove: (name) => void this.#remove(name),
      }),
    }
  }

  #add(gateway: Gateway) {
    const name = createSecret().slice(0, NAME_LENGTH)
    const url = this.#urlOf(name)
    gateway.transport.servedAt(url)
    gateway.transport.describedBy(openApi)
    gateway.transport.hooks.gatewayHost = this.#hostFor(gateway)
    const removal = new AbortController()
    const responders = { ...createResponders(gateway, name), removed: removal.signal }
    this.#further.set(name, { responders, removal, usedAt: readClock(systemClock) })
    return { name, url }
  }

  /** Removes a gateway and ends its waiting requests. Returns false if there is no such gateway. */
  #remove(name: string): boolean {
    const found = this.#further.get(name)
    if (!found) return false
    this.#further.delete(name)
    const { gateway, inspector } = found.responders
    found.removal.abort(this.home.transport.refused(errors.gateway_not_found, { name: quote(name) }))
    inspector.close()
    gateway.transport.hooks.gatewayHost?.explorations.close()
    gateway.dispose()
    return true
  }

  #urlOf(name: string): string {
    return `${this.home.url}${GATEWAYS_PATH}/${name}`
  }
}

const NAME_LENGTH = 12

function createResponders(gateway: Gateway, name: string | null): Responders {
  return { gateway, inspector: new Inspector(gateway, name), documents: new PackedDocuments() }
}

const readHosted = bodyReader(hostedOptions)

async function createSibling(parent: Gateway, options: HostedOptions): Promise<Gateway> {
  const own = { ...toPassedOptions(options), ...(await dialectOf(options)), ...clockOf(parent, options) }
  try {
    return refuseInvalidOptions(errors.gateway_options_invalid, () => parent.transport.sibling(own))
  } catch (error) {
    // A rule rejected an entry of `initial`.
    if (error instanceof GatewayError) refuse(errors.gateway_options_invalid, { why: error.message })
    throw error
  }
}

/** Loads the families of a dialect only if a request names the dialect. */
async function dialectOf({ dialect }: HostedOptions): Promise<AnyOptions> {
  if (dialect === undefined) return {}
  const { dialectFamilies } = await import('../gateway/dialect-families.ts')
  const families: Families | undefined = dialectFamilies[dialect]
  return { dialect: dialects[dialect], families }
}

function clockOf(parent: Gateway, { clock, start }: HostedOptions): AnyOptions {
  if (clock === 'system') {
    if (start === undefined) return { clock: systemClock }
    return refuse(general.field_invalid, {
      field: 'start',
      received: quote(start),
      allowed: 'a start only with a manual clock',
    })
  }
  if (start !== undefined) return { clock: manualClock(start) }
  const needsClock = clock === 'manual' && !isManual(parent.clock)
  return needsClock ? { clock: manualClock(timestamp(readClock(systemClock))) } : {}
}
