import * as v from 'valibot'
import { bodyReader } from '../../core/schema/body.ts'
import { joinBytes } from '../../traffic/body.ts'
import { VisitorRequest } from '../../traffic/message.ts'
import { MessageHeaders } from '../../traffic/message-headers.ts'
import type { ControlHost } from '../control.ts'
import { findIn, type Handler, NO_CONTENT, ok } from './call.ts'
import { type Captured, replayProblem } from './captured.ts'
import { createNotFound, createNotReplayed, withAgentErrors } from './response.ts'
import { Agent, type OpenTunnel } from './tunnels.ts'
import { viewRequest } from './views.ts'

/** Returns the captured requests of the current agent, newest first. */
function capturedOf(host: ControlHost): Captured[] {
  const session = Agent.transact(host, (agent) => agent.session?.id)
  return host.agent.captured.newestFirst().filter(({ tunnel }) => tunnel.session === session)
}

/** The default limit of a list. */
const LISTED_REQUESTS = 50

export const listRequests: Handler = ({ host, query }) => {
  const name = query.get('tunnel_name')
  const limit = /^\d+$/.test(query.get('limit') ?? '') ? Number(query.get('limit')) : LISTED_REQUESTS
  const found = capturedOf(host).filter(({ tunnel }) => name === null || tunnel.name === name)
  return ok({ uri: '/api/requests/http', requests: found.slice(0, limit).map((each) => viewRequest(each, host)) })
}

export const getRequest: Handler = ({ host, name, path }) => {
  const found = capturedOf(host).find(({ id }) => id === name)
  return found ? ok(viewRequest(found, host)) : createNotFound(path)
}

export const deleteRequests: Handler = ({ host }) => {
  host.agent.captured.empty()
  return NO_CONTENT
}

const readReplay = bodyReader(v.object({ id: v.string(), tunnel_name: v.exactOptional(v.string()) }))

export const replay: Handler = async ({ host, readJson, path }) => {
  const { id, tunnel_name } = withAgentErrors(() => {
    // The npm package ngrok sends `tunnel_name` under another name, without effect.
    const { id, tunnel_name } = readJson()
    return readReplay({ id, ...(tunnel_name !== undefined && { tunnel_name }) }, {}, host.engine.context)
  })
  const found = capturedOf(host).find((each) => each.id === id)
  const open = found && findIn(host, tunnel_name ?? found.tunnel.name)
  if (!found || !open?.endpoint) return createNotFound(`${path}/${found ? (tunnel_name ?? found.tunnel.name) : id}`)
  const problem = replayProblem(found)
  if (problem !== undefined) return createNotReplayed(problem)
  const { method, url, headers, body: kept, ip } = found
  const request = new VisitorRequest(
    method,
    url,
    new MessageHeaders(headers),
    kept.size > 0 ? joinBytes(kept.parts) : null,
  )
  await host.traffic.replay(request, placeOf(open), ip)
  return NO_CONTENT
}

function placeOf({ name, tunnel: { id, session_id, inspect, forwards_to, is_started }, endpoint }: OpenTunnel) {
  const tunnel = { id, session: session_id, name, inspect: inspect !== false, isStarted: is_started }
  return { keys: [endpoint?.url ?? forwards_to, forwards_to], url: forwards_to, isAgent: true, tunnel }
}
