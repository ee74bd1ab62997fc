import { createErrorFacts } from '../../core/schema/error-facts.ts'
import { Refusal } from '../../core/schema/errors.ts'
import { bindErrors } from '../../service/ngrok/bind-rules.ts'
import type { ControlHost } from '../control.ts'
import { Agent } from './tunnels.ts'

/** Starts a tunnel. The agent's state keeps an error until a tunnel with that name starts. */
export function runStart<T>(host: ControlHost, name: string, work: (agent: Agent) => T): T {
  const { agent: state } = host
  try {
    const result = Agent.transact(host, work)
    state.refused.delete(name)
    return result
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const isByAcl = Object.values<object>(bindErrors).includes(error.problems[0].error)
    const credential = isByAcl ? Agent.transact(host, ({ session }) => session?.credential_id) : undefined
    state.addRefused(name, { why: createErrorFacts(error, host.dialect).message, credential })
    throw error
  }
}
