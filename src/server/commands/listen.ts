import { isIP } from 'node:net'
import { readClock, systemClock } from '../../core/engine/clock.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { Config } from '../../generated/options.ts'
import { asSystemError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { configRows } from '../options/config.ts'
import { type ParsedServerOptions, prefixErrors } from '../options/parsed-options.ts'
import { AgentPortError, listenProblem, type Served, serve } from '../serve.ts'
import { serveTraffic } from '../traffic/serve-traffic.ts'
import { portTakenMessage } from './announce.ts'

/** Opens the port of the API. Errors show the option as the user wrote it. */
export async function listen(
  gateway: Gateway,
  host: string,
  config: Config,
  names: ParsedServerOptions['names'],
): Promise<Served> {
  const { port = configRows.port.default, tls, tlsRoot, name, agent } = config
  try {
    return await serve(gateway, {
      port,
      host,
      ...(name !== undefined && { name }),
      ...(agent !== undefined && { agent }),
      ...(tls || tlsRoot ? { tls: issueCertificate(gateway, host, config) } : {}),
    })
  } catch (error) {
    const { code = '' } = asSystemError(asSystemError(error).cause ?? {})
    if (error instanceof AgentPortError) {
      return prefixErrors('agent', names, () => Promise.reject(new Error(error.problem, { cause: error })))
    }
    if (code === 'EADDRINUSE') throw new Error(await portTakenMessage(host, port), { cause: error })
    const option = OPTION_OF_ERROR[code]
    if (option === undefined) throw error
    return prefixErrors(option, names, () => Promise.reject(error))
  }
}

/** Opens the ports for visitors. If a port cannot be opened, closes the server. */
export async function openPorts(
  gateway: Gateway,
  host: string,
  { config, names }: ParsedServerOptions,
  server: Served,
  visitorLog?: Log['visitor'],
) {
  try {
    return await serveTraffic(gateway, host, config, names.get('upstreams'), visitorLog)
  } catch (error) {
    await server.close()
    const { traffic, trafficTls } = config
    const { code, port } = asSystemError(error) as NodeJS.ErrnoException & { readonly port?: number } // Errors of `listen` have a code.
    if (code === undefined || port === undefined) throw error
    const option = port === trafficTls && port !== traffic ? 'trafficTls' : 'traffic'
    return prefixErrors(option, names, () => Promise.reject(new Error(listenProblem(asSystemError(error), host, port))))
  }
}

const OPTION_OF_ERROR: Readonly<Record<string, string>> = { EACCES: 'port', EADDRNOTAVAIL: 'host', ENOTFOUND: 'host' }

const DAY_MS = 86_400_000

/** Issues a certificate for all names of the server. It uses real time because clients ignore the gateway's clock. */
function issueCertificate(gateway: Gateway, host: string, { baseUrl, control }: Config) {
  const now = readClock(systemClock)
  const allowed = typeof control === 'object' ? (control.allowHosts ?? []) : []
  const based = baseUrl === undefined ? [] : [new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')]
  // A URL expands an address in a short form, such as 127.1.
  const listening = isIP(host) ? host : new URL(`http://${host}`).hostname
  const all = new Set(['localhost', '127.0.0.1', '::1', listening, ...based, ...allowed])
  const wildcards = ['0.0.0.0', '::']
  return gateway.authority.serverCertificate({
    names: [...all].filter((name) => !isIP(name)),
    ips: [...all].filter((name) => isIP(name) && !wildcards.includes(name)),
    notBefore: now - DAY_MS,
    notAfter: now + 365 * DAY_MS,
  })
}
