import type { Config } from '../../core/generated/options.ts'
import { quote } from '../../core/schema/text.ts'
import type { Gateway } from '../../gateway/types.ts'
import { createDialer, isThisMachine, type Upgrades } from './dial.ts'
import { openTrafficPort, type TrafficPort } from './port.ts'
import { splitUpstream } from './traffic-options.ts'
import type { VisitorLog } from './visitor-log.ts'

/**
 * Opens the ports for visitors that the options name, and sets their upstreams. `upstreamsName` is the option as the user wrote it.
 * @throws Error if an upstream is on another machine that `upstreamHosts` does not name, or if a port cannot be opened.
 */
export async function serveTraffic(
  gateway: Gateway,
  host: string,
  { traffic, trafficTls, upstreams = [], upstreamHosts = [] }: Config,
  upstreamsName = 'upstreams',
  log?: VisitorLog,
): Promise<readonly TrafficPort[]> {
  const upgrades: Upgrades = new Map()
  for (const { key, server } of upstreams.flatMap((text) => splitUpstream(text) ?? [])) {
    requireReachable(server, upstreamHosts, upstreamsName)
    gateway.transport.serveUpstream(key, createDialer(server, upgrades))
  }
  const opened: TrafficPort[] = []
  try {
    for (const [port, tls] of [
      [traffic, false],
      [trafficTls, true],
    ] as const) {
      if (port !== undefined) opened.push(await openTrafficPort(gateway, { port, host, tls, upgrades, log }))
    }
  } catch (error) {
    await Promise.all(opened.map((each) => each.close()))
    throw error
  }
  return opened
}

function requireReachable({ hostname, href }: URL, allowed: readonly string[], name: string): void {
  if (isThisMachine(hostname) || allowed.includes(hostname)) return
  throw new Error(`${name} has ${quote(href)}. Allowed: servers of this machine, or a host of --upstream-host.`)
}
