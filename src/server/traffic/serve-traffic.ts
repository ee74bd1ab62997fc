import { quote } from '../../core/schema/text.ts'
import { durationMs } from '../../core/schema/time.ts'
import { isLocalUrl } from '../../gateway/http/callers.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { Config } from '../../generated/options.ts'
import { targetOf } from '../../traffic/target.ts'
import type { Dialer, ServedUpstream } from '../../traffic/upstreams.ts'
import { UsageError } from '../errors.ts'
import { isBelowLocalhost, Upstream } from '../forward/upstream.ts'
import { openTrafficPort, type TrafficPort } from './port.ts'
import { splitUpstream } from './traffic-options.ts'
import type { VisitorLog } from './visitor-log.ts'

/**
 * Opens the visitor ports from the options, and sets their upstreams. `upstreamsName` is the option as the user wrote it.
 * @throws UsageError if an upstream is on a different machine that is not in `upstreamHosts`, and the system's error if a port cannot be
 * opened.
 */
export async function serveTraffic(
  gateway: Gateway,
  host: string,
  { traffic, trafficTls, upstreams = [], upstreamHosts = [], trafficTimeout }: Config,
  upstreamsName = 'upstreams',
  log?: VisitorLog,
): Promise<readonly TrafficPort[]> {
  const idle = durationMs(trafficTimeout)
  const servers: Upstream[] = []
  const connect = (server: URL): ServedUpstream => {
    // Agents do the same, because developers' servers often have self-signed certificates.
    const upstream = new Upstream(server, { idle, verify: !isOnThisMachine(server) })
    servers.push(upstream)
    return ({ method, url, headers, body, inform }, call) =>
      upstream.send({ ...call, method, path: targetOf(url), headers, body, inform })
  }
  for (const { key, server } of upstreams.flatMap((text) => splitUpstream(text) ?? [])) {
    if (!isReachable(server, upstreamHosts))
      throw new UsageError(
        `${upstreamsName} contains ${quote(server.href)}. Allowed: servers on this machine, or hosts allowed by --upstream-host.`,
      )
    gateway.transport.serveUpstream(key, connect(server))
  }
  gateway.transport.dialUpstreams(createDialer(connect, upstreamHosts))
  const opened: TrafficPort[] = []
  const close = async () => {
    await Promise.all(opened.map((each) => each.close()))
    for (const each of servers) each.close()
  }
  try {
    for (const [port, tls] of [
      [traffic, false],
      [trafficTls, true],
    ] as const) {
      if (port !== undefined) opened.push(await openTrafficPort(gateway, { port, host, tls, idle, log }))
    }
  } catch (error) {
    await close()
    throw error
  }
  return opened.map((each) => ({ ...each, close }))
}

/**
 * Returns whether a URL is on this machine: at its address, or at `localhost` or a name below it (RFC 6761, section 6.3). A DNS
 * server can point any other name anywhere.
 */
const isOnThisMachine = (url: URL): boolean => isLocalUrl(url) || isBelowLocalhost(url.hostname)

/** Returns whether visitors may be forwarded to a server: on this machine, or on a host that the user allows. */
export const isReachable = (url: URL, allowed: readonly string[]): boolean =>
  isOnThisMachine(url) || allowed.includes(url.hostname)

/** Creates the function that reaches the upstreams that programs pass to the agent's API (rules: agent#upstreams). */
function createDialer(connect: (server: URL) => ServedUpstream, allowed: readonly string[]): Dialer {
  const connected = new Map<string, ServedUpstream>()
  return (url) => {
    const server = new URL(url)
    if (!/^https?:$/.test(server.protocol)) return { problem: `${url} is not an http or https URL` }
    if (!isReachable(server, allowed))
      return { problem: `${url} is not on this machine. Allow it with --upstream-host ${server.hostname}` }
    const serve = connected.get(server.href) ?? connect(server)
    connected.set(server.href, serve)
    return { serve }
  }
}
