import { platform } from '../../core/schema/platform.ts'
import { createBrokenConnection, truncateStream } from '../../core/schema/truncated-stream.ts'
import type { UpstreamFault } from '../../traffic/traffic-host.ts'
import type { ControlHost } from '../control.ts'
import { applyAgentFault } from '../faults/upstream-faults.ts'
import type { AgentRequest } from './state.ts'

/** Responds to a request to the agent's API as the fault that applies to it specifies, or otherwise as usual (rules: agent#faults). */
export async function withAgentFault(
  { engine }: ControlHost,
  { url, method, signal }: Request,
  asked: AgentRequest,
  respond: () => Promise<Response>,
): Promise<Response> {
  const fault = applyAgentFault(engine, new URL(url).pathname.replace(/(.)\/$/, '$1'), method)
  if (!fault) return respond()
  asked.fault = fault.id
  if (fault.latency) await engine.clock.waitUntil(engine.now + fault.latency, signal)
  if (fault.drop) throw createBrokenConnection('fetch failed')
  const response = fault.status === undefined ? await respond() : createFailure(fault, method)
  const { truncate: length, ending } = fault
  if (length === undefined || !response.body) return response
  return new (platform('Response'))(truncateStream(response.body, { length, ending, signal }), response)
}

function createFailure({ id, status = 503, body }: UpstreamFault, method: string): Response {
  const usual = {
    status_code: status,
    msg: 'injected fault',
    details: { err: `The fault ${id} was injected by the test.` },
  }
  const text = body ?? `${JSON.stringify(usual)}\n`
  const headers = { 'Content-Type': /^\s*[[{]/.test(text) ? 'application/json' : 'text/html' }
  return new (platform('Response'))(method === 'HEAD' ? null : text, { status, headers })
}
