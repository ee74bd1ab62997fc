import { resolve } from 'node:path'
import { toUpstream } from '../../control/agent/starts.ts'
import { quote } from '../../core/schema/text.ts'
import { GatewayError } from '../../gateway/gateway-error.ts'
import type { Gateway } from '../../gateway/types.ts'
import { checkPolicyFile } from '../../service/policy/files/check-file.ts'
import { messageOf, UsageError } from '../errors.ts'
import { readText } from '../files.ts'
import { CONFIG_FLAG, textFlag } from '../options/flags.ts'
import type { ParsedServerOptions } from '../options/parsed-options.ts'
import { optionTable } from '../options/table.ts'
import { warn } from '../terminal.ts'
import type { TrafficPort } from '../traffic/port.ts'
import { isReachable } from '../traffic/serve-traffic.ts'
import { findPort } from './announce.ts'
import { type Arguments, type Command, flagValue, requireOneWord } from './command.ts'
import { type Addition, serveUntilStopped } from './serve.ts'

const URL_FLAG = textFlag('url', 'URL', 'The public URL, such as `https://app.example.com`. Default: a new URL.')
const POLICY_FLAG = textFlag('traffic-policy-file', 'FILE', "The file with the endpoint's traffic policy.")

/** The options that this command sets unless the user does. If a port is taken, the next free port is used. */
const DEFAULTS = { dialect: 'ngrok', agent: 4040, traffic: 8080, trafficTls: 8443 } as const

/** The options of `serve`, with this command's defaults in their descriptions. */
const flags = optionTable.map((option) => {
  const value = new Map<string, unknown>(Object.entries(DEFAULTS)).get(option.path)
  return value === undefined
    ? option
    : { ...option, sentence: option.sentence.replace(/ Default: .*$/, ` Default: ${value}.`) }
})

export const httpCommand: Command = {
  name: 'http',
  words: 'ADDRESS',
  summary: 'Expose a local application through an emulated gateway, like "ngrok http"',
  flags: [URL_FLAG, POLICY_FLAG, CONFIG_FLAG, ...flags],
  notes: [
    'ADDRESS is a port such as 3000, an address such as localhost:3000, or a URL. Nothing connects to ngrok.',
    'If the default port of --agent, --traffic, or --traffic-tls is in use, the next free port is used.',
    'The domain in --url is reserved automatically.',
    'All options of "fauxgate serve" apply. With --watch, changes to the policy restart the gateway.',
  ],
  example: 'http 3000 --url https://app.example.com --traffic-policy-file policy.yml',
  run: async (parsed, environment) => {
    const word = requireOneWord(httpCommand, parsed)
    return serveUntilStopped(parsed, environment, createAddition(word, readAddress(word), parsed))
  },
}

function readAddress(word: string): string {
  const problem = `ADDRESS is ${quote(word)}. Allowed: a port, an address such as localhost:3000, or an http or https URL.`
  try {
    const upstream = toUpstream(word)
    if (/^https?:/.test(upstream)) return upstream
  } catch {
    // Throw the error below.
  }
  throw new UsageError(problem)
}

function requireReachable(word: string, upstream: string, upstreamHosts: readonly string[] = []): void {
  if (isReachable(new URL(upstream), upstreamHosts)) return
  throw new UsageError(
    `ADDRESS is ${quote(word)}. Allowed: a server on this machine, or on a host allowed by --upstream-host.`,
  )
}

function createAddition(word: string, upstream: string, parsed: Arguments): Addition {
  const url = flagValue(parsed, URL_FLAG.flag)
  const policy = flagValue(parsed, POLICY_FLAG.flag)
  let reserved: string | undefined
  return {
    files: policy === undefined ? [] : [resolve(policy)],
    complete: (options) => {
      requireReachable(word, upstream, options.config.upstreamHosts)
      return complete(options, upstream)
    },
    async start(gateway) {
      const sent = { url, policy: policy === undefined ? undefined : await readPolicy(policy) }
      reserved = await startTunnel(gateway, upstream, sent)
      // An agent reopens its tunnel when the service drops it.
      gateway.transport.hooks.drop = (call, work) => {
        const result = work()
        if (call === 'reset()') startTunnel(gateway, upstream, sent).catch((error) => warn(messageOf(error)))
        return result
      }
    },
    describe: (gateway, ports) => describeTunnel(gateway, ports, reserved),
  }
}

/** @throws UsageError with the location of the first error, as `policy check` shows it. */
async function readPolicy(file: string): Promise<string> {
  const text = await readText(file)
  const error = checkPolicyFile(text).problems.find(({ severity }) => severity === 'error')
  if (error) throw new UsageError(`${file}:${error.line}:${error.column}: ${error.message}`)
  return text
}

/** Adds the upstream, the dialect, and the ports that were not set. */
async function complete({ config, ...rest }: ParsedServerOptions, upstream: string): Promise<ParsedServerOptions> {
  const { host = '127.0.0.1', upstreams = [] } = config
  const usual = {
    dialect: DEFAULTS.dialect,
    agent: config.agent ?? (await findPort('127.0.0.1', DEFAULTS.agent)),
    traffic: config.traffic ?? (await findPort(host, DEFAULTS.traffic)),
    trafficTls: config.trafficTls ?? (await findPort(host, DEFAULTS.trafficTls)),
  }
  return { ...rest, config: { ...usual, ...config, upstreams: [...upstreams, `${upstream}=${upstream}`] } }
}

const NAME = 'command_line'
const TUNNEL = `http://127.0.0.1:4040/api/tunnels/${NAME}`

/** The errors for a domain that the account may reserve. */
const UNRESERVED: readonly string[] = [
  'agent_domain_not_reserved',
  'agent_domain_nested',
  'agent_wildcard_not_exact',
  'agent_wildcard_not_reserved',
]

/** Starts the tunnel, replacing a tunnel from a stored state. Returns the domain that it reserved, if any. */
async function startTunnel(
  gateway: Gateway,
  addr: string,
  { url, policy }: { readonly url: string | undefined; readonly policy: string | undefined },
): Promise<string | undefined> {
  const whole = url === undefined || url.includes('://') ? url : `https://${url}`
  const start = () =>
    gateway.agent.start({
      ...{ name: NAME, addr },
      ...(whole !== undefined && { url: whole }),
      ...(policy !== undefined && { traffic_policy: policy }),
    })
  try {
    await gateway.agent.fetch(TUNNEL, { method: 'DELETE' })
    try {
      await start()
      return undefined
    } catch (error) {
      if (!(error instanceof GatewayError) || !UNRESERVED.includes(error.key)) throw error
      const { domain } = gateway.reservedDomains.create({ domain: new URL(whole ?? '').hostname })
      await start()
      return domain
    }
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

async function describeTunnel(gateway: Gateway, ports: readonly TrafficPort[], reserved?: string): Promise<string> {
  const response = await gateway.agent.fetch(TUNNEL)
  const { public_url, config } = (await response.json()) as { public_url: string; config: { addr: string } } // The agent's own API.
  const host = new URL(public_url).hostname
  const here = ports.map(({ url }) => `  ${url.replace('localhost', `${host}.localhost`)}`)
  const first = reserved === undefined ? [] : [`Reserved the domain ${reserved}.`]
  return [...first, `Forwards ${public_url} to ${config.addr}. For a browser or curl on this machine:`, ...here].join(
    '\n',
  )
}
