import { escapeHtml } from '../../core/schema/text.ts'
import { type Handler, listOf, ok } from './call.ts'
import { Agent } from './tunnels.ts'

export const status: Handler = ({ host }) => {
  const { region, agent_version = '3.39.0' } = Agent.transact(host, (agent) => agent.session) ?? {}
  const legs = region === undefined ? [] : [{ region, latency: '10ms' }]
  return ok({
    status: region === undefined ? 'connecting' : 'online',
    agent_version,
    session: { legs },
    uri: '/api/status',
  })
}

/** Returns the status page, which programs use to check that the agent is running (rules: agent#status-page). */
export const statusPage: Handler = ({ host }) => {
  const rows = listOf(host).map(
    ({ name, endpoint, tunnel: { forwards_to } }) =>
      `<tr><td>${escapeHtml(name)}<td>${escapeHtml(endpoint?.url ?? '')}<td>${escapeHtml(forwards_to)}`,
  )
  const head = '<tr><th>Name<th>URL<th>Addr'
  const page = `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>ngrok - Status</title>\n<h1>Status</h1>\n`
  return { status: 200, page: `${page}<table>\n${[head, ...rows].join('\n')}\n</table>\n` }
}
