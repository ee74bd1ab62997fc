import * as v from 'valibot'
import type { Families } from '../../core/operation/family.ts'
import { atCaller } from '../../core/schema/caller-stack.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { duration, optionsOf, readCallOptions, sentDuration, switchOption } from '../../core/schema/options.ts'
import { platform } from '../../core/schema/platform.ts'
import { anyObject } from '../../core/schema/schema.ts'
import { type Duration, durationMs, timestamp } from '../../core/schema/time.ts'
import type { AgentTunnelDefinition } from '../../generated/controls.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { readDefinition, tunnelDefinition, type UnusedFields } from './definition.ts'
import { errors } from './errors.ts'
import type { AgentTunnel } from './resources.ts'

/**
 * The behavior of the agent.
 *
 * @experimental
 */
export interface AgentBehaviour {
  /** True if the agent is down: `fetch` rejects as if the connection were refused. Default: false. */
  readonly down?: boolean
  /** The delay, on the gateway's clock, before lists show a new tunnel's URL. Default: none. */
  readonly urlAfter?: Duration
}

/**
 * The API that ngrok's agent serves at `http://127.0.0.1:4040/api`. There is no real agent, so no connections are made.
 *
 * @example
 * ```ts
 * await gateway.agent.start({ addr: 3000 })
 * const response = await gateway.agent.fetch('http://127.0.0.1:4040/api/tunnels')
 * const { tunnels } = await response.json()
 * tunnels[0].public_url // such as https://0a1b2c3d4e5f.ngrok-free.app
 * ```
 *
 * @experimental
 */
export interface GatewayAgent {
  /**
   * Handles requests to the agent's API. Takes the same arguments as `fetch`.
   * @throws TypeError like `fetch` if the agent is down
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /**
   * Starts a tunnel, as `POST /api/tunnels` does, and returns it. With both the http and https schemes, starts two tunnels and returns the
   * https tunnel.
   * @throws GatewayError `agent_tunnel_taken` for a name that is in use; `agent_unavailable` without ngrok's families; or an error about
   * endpoints or account limits.
   */
  start(definition: AgentTunnelDefinition & UnusedFields): Promise<AgentTunnel>
  /** Changes how the agent behaves. Omitted options stay unchanged. `reset()` restores the defaults. */
  set(behaviour: AgentBehaviour): void
  /** Restarts the agent with the same tunnels. With `newUrls`, URLs without a reservation are replaced by new URLs. */
  restart(options?: { readonly newUrls?: boolean }): Promise<void>
}

export interface AgentMember {
  /** The local API of ngrok's agent. */
  readonly agent: GatewayAgent
}

// Created on first use: most gateways' agents are never used.
const load = ({ engine }: ControlHost) => engine.clock.load(() => import('./api.ts'))

/** Creates the call that starts a tunnel. It throws the same errors as declaring an agent session. */
const createStartCall = (families: Families) =>
  controlCall({
    method: 'POST',
    path: '/agent/tunnels',
    summary: 'Start an agent tunnel',
    from: 'body',
    schema: tunnelDefinition,
    response: anyObject(),
    errors: [
      ...Object.values(errors),
      ...Object.values(families).flatMap(({ declares }) => declares?.tunnelSession?.errors ?? []),
    ],
    run: async (host, definition) => (await load(host)).startTunnel(host, definition),
  })

const start = createStartCall({})

const set = controlCall({
  method: 'PUT',
  path: '/agent',
  summary: 'Change how the agent behaves',
  from: 'body',
  schema: named(
    v.object({
      down: v.exactOptional(documented(v.boolean(), 'True if the agent is down.')),
      url_after: v.exactOptional(
        sentDuration("The delay, on the gateway's clock, before lists show a new tunnel's URL."),
      ),
    }),
    'AgentBehaviour',
    'The behavior of the agent. Omitted fields stay unchanged.',
  ),
  run: ({ agent }, { down = agent.isDown, url_after = agent.urlAfterMs }) => {
    agent.isDown = down
    agent.urlAfterMs = durationMs(url_after) ?? 0
  },
})

const restart = controlCall({
  method: 'POST',
  path: '/agent/restart',
  summary: 'Restart the agent with the same tunnels',
  from: 'body',
  schema: v.object({
    new_urls: v.optional(documented(v.boolean(), 'True to replace URLs without a reservation with new URLs.'), false),
  }),
  run: async (host, { new_urls }) => (await load(host)).restartAgent(host, new_urls),
})

export const agent: Control<AgentMember, typeof errors> = {
  calls: (families) => [createStartCall(families), set, restart],
  errors,
  members: (host) => ({ agent: createAgent(host) }),
}

const behaviourOptions = optionsOf({ down: v.optional(switchOption), urlAfter: v.optional(duration()) })
const restartOptions = optionsOf({ newUrls: v.optional(switchOption) })

function createAgent(host: ControlHost): GatewayAgent {
  return {
    async fetch(input, init) {
      const request = new (platform('Request'))(input, init)
      const { method, url } = request
      const asked = { at: timestamp(host.engine.now), method, path: new URL(url).pathname, outcome: 'no response' }
      host.agent.addRequest(asked)
      if (!host.agent.isDown) return (await load(host)).respondTo(host, request, asked)
      asked.outcome = 'connection refused'
      throw createRefusedConnection()
    },
    start: async (definition) => start.run(host, readDefinition(definition, host.engine.context)),
    set(behaviour) {
      const { urlAfter: url_after, ...rest } = readCallOptions(behaviourOptions, behaviour)
      set.run(host, { ...rest, url_after })
    },
    async restart(options = {}) {
      const { newUrls: new_urls } = readCallOptions(restartOptions, options)
      return restart.run(host, { new_urls })
    },
  }
}

/** Creates the error that Node's `fetch` rejects with if nothing listens at an address. */
function createRefusedConnection(): TypeError {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:4040'), { code: 'ECONNREFUSED' })
  return atCaller(new TypeError('fetch failed', { cause }))
}
