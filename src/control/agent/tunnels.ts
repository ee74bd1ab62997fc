import * as v from 'valibot'
import type { Transaction } from '../../core/operation/transaction.ts'
import { bodyReader } from '../../core/schema/body.ts'
import { refuse } from '../../core/schema/errors.ts'
import { quote } from '../../core/schema/text.ts'
import { requireActiveAccount } from '../../service/ngrok/agent-start-errors.ts'
import {
  agentNameKey,
  type EndpointRecord,
  endpoints,
  getEndpointId,
  getTunnelId,
  toAgentName,
} from '../../service/ngrok/endpoint-records.ts'
import { findHostByDefault } from '../../service/ngrok/own-places.ts'
import {
  endpointFields,
  labelledFields,
  makeUrl,
  openLabelled,
  STARTED,
  sessionFields,
  startEndpoint,
  startSession,
} from '../../service/ngrok/session-declaration.ts'
import {
  closeTunnel,
  restartSession,
  type SessionRecord,
  sessions,
  type TunnelRecord,
  tunnels,
} from '../../service/ngrok/session-records.ts'
import type { ControlHost } from '../control.ts'
import { errors } from './errors.ts'
import type { Start } from './starts.ts'

/** An open tunnel of the agent. */
export interface OpenTunnel {
  readonly name: string
  readonly tunnel: TunnelRecord
  /** Undefined for a labeled tunnel. */
  readonly endpoint: EndpointRecord | undefined
  /** False until the agent shows the tunnel's URL. */
  readonly hasUrl: boolean
}

const readEndpoint = /* @__PURE__ */ bodyReader(endpointFields)
const readLabelled = /* @__PURE__ */ bodyReader(labelledFields)

/** The agent of a gateway, in one transaction: the oldest connected agent session (rules: agent#the-oldest-agent). */
export class Agent {
  readonly #host: ControlHost
  readonly #tx: Transaction

  private constructor(host: ControlHost, tx: Transaction) {
    this.#host = host
    this.#tx = tx
  }

  /** Runs work as one transaction. */
  static transact<T>(host: ControlHost, work: (agent: Agent) => T): T {
    return host.transact((tx) => work(new Agent(host, tx)))
  }

  get session(): SessionRecord | undefined {
    if (!this.#isPossible) return undefined
    return [...this.#tx.newestFirst(sessions)].filter(({ transport }) => transport !== 'ssh').at(-1)
  }

  /** False if the gateway doesn't include the family of sessions. */
  get #isPossible(): boolean {
    return this.#host.collections.some(({ name }) => name === sessions.name)
  }

  /** Returns the open tunnels, oldest first. */
  list(): OpenTunnel[] {
    const { session } = this
    return session ? this.#tx.findAll(tunnels, 'session', session.id).map((each) => this.#open(each)) : []
  }

  #open(tunnel: TunnelRecord): OpenTunnel {
    const shownBefore = this.#tx.now - this.#host.agent.urlAfterMs
    const endpoint = this.#tx.get(endpoints, getEndpointId(tunnel.id))
    const name = toAgentName(endpoint?.name ?? tunnel.name ?? tunnel.id)
    return { name, tunnel, endpoint, hasUrl: tunnel.started_at <= shownBefore }
  }

  /** Returns the oldest open tunnel with a name. Tunnels without a name are found by ID. */
  find(name: string): OpenTunnel | undefined {
    const { session } = this
    if (!session) return undefined
    const key = agentNameKey(session.id, name)
    const ids = [
      ...this.#tx.findAll(endpoints, 'agent_name', key).map(({ id }) => getTunnelId(id)),
      ...this.#tx.findAll(tunnels, 'agent_name', key).map(({ id }) => id),
    ]
    const [oldest = name] = ids.sort()
    const tunnel = this.#tx.get(tunnels, oldest)
    const open = tunnel?.session_id === session.id ? this.#open(tunnel) : undefined
    return open?.name === toAgentName(name) ? open : undefined
  }

  /** Starts tunnels, and returns the first one. The agent connects when its first tunnel starts. */
  start(starts: readonly Start[]): OpenTunnel {
    if (!this.#isPossible) refuse(errors.agent_unavailable, { dialect: this.#host.dialect.name })
    for (const { name } of starts) if (this.find(name)) refuse(errors.agent_tunnel_taken, { name: quote(name) })
    requireActiveAccount(this.#tx, this.session !== undefined)
    const session = this.session ?? startSession(this.#tx, v.parse(sessionFields, {}))
    const { context } = this.#host.engine
    let made: string | undefined
    for (const each of starts) {
      if ('labels' in each) {
        const labelled = readLabelled({ ...each }, {}, context)
        openLabelled(this.#tx, { ...session, started_at: this.#tx.now }, labelled, STARTED)
        continue
      }
      const { scheme = 'https', urlBefore, url, ...fields } = each
      if (url === undefined && urlBefore === undefined) made ??= this.#newUrl(scheme)
      const chosen = readEndpoint({ ...fields, url: url ?? urlBefore ?? withScheme(made, scheme) }, {}, context)
      startEndpoint(this.#tx, session, chosen, url === undefined)
    }
    // The tunnel was just started.
    return this.find(starts[0]?.name ?? '') as OpenTunnel
  }

  #newUrl(scheme: string): string {
    const host = findHostByDefault(this.#tx, scheme)
    return host === undefined ? makeUrl(this.#tx, scheme) : `${scheme}://${host}`
  }

  /** Stops a tunnel. Returns false if it doesn't exist. */
  stop(name: string): boolean {
    const open = this.find(name)
    if (open) closeTunnel(this.#tx, open.tunnel)
    return open !== undefined
  }

  /** Restarts the agent. With `hasNewUrls`, public URLs without a reservation are replaced by new URLs. */
  restart(hasNewUrls: boolean): void {
    const { session } = this
    if (!session) return
    // The http and https tunnels share one host.
    const made = new Map<string, string>()
    restartSession(this.#tx, session, ({ url, binding, domain_id, tcp_addr_id }) => {
      if (!hasNewUrls || binding !== 'public' || domain_id !== null || tcp_addr_id !== null) return url
      const [scheme = '', host = ''] = url.split('://')
      const other = made.get(host) ?? makeUrl(this.#tx, scheme)
      made.set(host, other)
      return withScheme(other, scheme)
    })
  }
}

function withScheme(url: string | undefined, scheme: string): string {
  return `${scheme}://${url?.split('://')[1]}`
}
