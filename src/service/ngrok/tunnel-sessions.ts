import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { agentStartErrors } from './agent-start-errors.ts'
import { credentials } from './credentials.ts'
import { endpointLimits } from './endpoint-bodies.ts'
import { urlErrors } from './endpoint-url.ts'
import { ownPlaceErrors } from './own-places.ts'
import { policyTextErrors } from './policy-text.ts'
import { agentLimits, declarationErrors, sessionFields, startSession } from './session-declaration.ts'
import { type COMMANDS, restartSession, type SessionRecord, sessions } from './session-records.ts'
import { knownRegions, refField } from './shared.ts'
import { sshCredentials } from './ssh-credentials.ts'

const { id, uri, metadata } = kit.resourceHead
const text = (sentence: string) => kit.documented(v.string(), sentence)

const shape = kit.named(
  v.object({
    id,
    uri,
    metadata,
    agent_version: text("The agent's version."),
    credential: refField('The credential or SSH credential of the agent.'),
    ip: text('The address that the agent connects from.'),
    os: text("The agent's operating system."),
    region: kit.documented(v.string(), 'The region that the agent is connected to.', knownRegions()),
    started_at: kit.documented(kit.time, 'The time at which the session started.'),
    transport: text('The protocol between the agent and the service; `ssh` if there is no agent.'),
  }),
  'TunnelSession',
  'The connection of an agent.',
)

const view: kit.View<SessionRecord, kit.Frozen<v.InferOutput<typeof shape>>> = (session, wire) => {
  const { id, metadata, agent_version, credential_id, ip, os, region, started_at, transport } = session
  const path = credential_id.startsWith('sshcr_') ? '/ssh_credentials' : '/credentials'
  return {
    id,
    uri: `${wire.url}/tunnel_sessions/${id}`,
    ...(metadata !== undefined && { metadata }),
    agent_version,
    credential: kit.refTo(wire, path, credential_id),
    ip,
    os,
    region,
    started_at: kit.timestamp(started_at),
    transport,
  }
}

const tunnelSession = kit.declaration({
  schema: sessionFields,
  response: shape,
  errors: [
    ...[urlErrors, ownPlaceErrors, agentStartErrors, declarationErrors, policyTextErrors].flatMap((each) =>
      Object.values(each),
    ),
    ...parts.listLimitErrors(endpointLimits, false),
  ],
  run: (tx, sent) => tx.show(view, startSession(tx, sent)),
  end: {
    prefix: 'ts',
    run(tx, id) {
      const session = tx.get(sessions, id)
      if (session) tx.remove(sessions, session)
      return session !== undefined
    },
  },
})

type Command = (typeof COMMANDS)[number]

const unsupportedError = (number: number, command: Command) =>
  kit.entry(
    number,
    400,
    (it: { id: string; os: string; supports: string }) =>
      `The agent of ${it.id} does not support ${command}s. Its OS is ${it.os}; the agent supports ${it.supports}.`,
  )

const failedError = (number: number, command: Command) =>
  kit.entry(number, 400, (it: { id: string; reason: string }) => `The ${command} of ${it.id} failed: ${it.reason}.`)

const overSshError = (number: number, command: Command) =>
  kit.entry(
    number,
    400,
    (it: { id: string }) => `The transport of ${it.id} is ssh. Only an agent session can ${command}.`,
  )

const commandErrors = kit.declareErrors({
  session_restart_unsupported: unsupportedError(804, 'restart'),
  session_stop_unsupported: unsupportedError(805, 'stop'),
  session_update_unsupported: unsupportedError(806, 'update'),
  session_stop_failed: failedError(807, 'stop'),
  session_restart_failed: failedError(808, 'restart'),
  session_update_failed: failedError(809, 'update'),
  session_unreachable: kit.entry(810, 503, 'The agent of {id} cannot be reached. Try again.'),
  session_update_over_ssh: overSshError(1121, 'update'),
  session_restart_over_ssh: overSshError(1122, 'restart'),
})

/** Returns the session if its agent accepts the command. Otherwise, rejects the command. */
function requireObedientSession(tx: kit.Transaction, id: string, command: Command): SessionRecord {
  const session = kit.required(tx, sessions, id, 'tunnel session')
  if (command !== 'stop' && session.transport === 'ssh') {
    kit.refuse(commandErrors[`session_${command}_over_ssh` as const], { id })
  }
  const isWindows = command === 'restart' && session.os === 'windows'
  if (isWindows || !session.supports.includes(command)) {
    const supports = session.supports.join(', ') || 'nothing'
    kit.refuse(commandErrors[`session_${command}_unsupported` as const], { id, os: session.os, supports })
  }
  if (!session.reachable) kit.refuse(commandErrors.session_unreachable, { id })
  const reason = session.failing[command]
  if (reason !== undefined) kit.refuse(commandErrors[`session_${command}_failed` as const], { id, reason })
  return session
}

/** Defines the operation that sends a command to a session's agent. */
function command<Sent, Body>(
  verb: Command,
  summary: string,
  body: v.GenericSchema<Sent, Body>,
  run: (tx: kit.Transaction, session: SessionRecord, body: Body) => void,
) {
  const own = Object.values(commandErrors).filter(({ key }) => key.startsWith(`session_${verb}_`))
  return kit.operationWithBody({
    name: `tunnel_sessions.${verb}`,
    method: 'POST',
    path: `/tunnel_sessions/{id}/${verb}`,
    status: 204,
    summary,
    ids: { id: 'ts' },
    body,
    errors: [kit.general.not_found, commandErrors.session_unreachable, ...own],
    run: (tx, { id }, sent) => run(tx, requireObedientSession(tx, id, verb), sent),
  })
}

const noFields = kit.named(
  v.object({}),
  'TunnelSessionCommand',
  'The body of a command: empty, or with the ID from the path.',
)

const updateBody = kit.named(
  v.object({
    version: v.optional(
      kit.documented(v.string(), 'The version to update the agent to. Default: the available version.', {
        rules: 'ngrok-families#tunnel-sessions',
      }),
    ),
  }),
  'TunnelSessionUpdate',
  'The update of an agent.',
)

function updateAgent(tx: kit.Transaction, session: SessionRecord, sent: v.InferOutput<typeof updateBody>): void {
  const { id, update, next_version } = session
  if (next_version !== null) {
    kit.refuse(commandErrors.session_update_failed, { id, reason: `version ${next_version} awaits a restart` })
  }
  if (update === null) kit.refuse(commandErrors.session_update_failed, { id, reason: 'there is no update' })
  tx.put(sessions, { ...session, next_version: sent.version || update })
}

/** The operations that send commands to a session's agent. */
const commands = {
  stop: command('stop', 'Stop the agent of a tunnel session', noFields, (tx, session) => tx.remove(sessions, session)),
  restart: command('restart', 'Restart the agent of a tunnel session', noFields, (tx, session) =>
    restartSession(tx, session),
  ),
  update: command(
    'update',
    'Update the agent of a tunnel session, which takes effect when the agent restarts',
    updateBody,
    updateAgent,
  ),
}

/** Agent sessions. Tests declare them, and the API stops, restarts, and updates their agents. */
export const tunnelSessions = kit.familyOf({
  operations: {
    ...kit.readOperations(
      {
        name: 'tunnel_sessions',
        prefix: 'ts',
        what: 'tunnel session',
        tableFields: ['ip', 'agent_version', 'region'],
        collection: sessions,
        filterable: ['id', 'metadata', 'agent_version', 'ip', 'os', 'region', 'started_at', 'credential'],
        shape,
      },
      view,
    ),
    ...commands,
  },
  errors: {
    ...urlErrors,
    ...ownPlaceErrors,
    ...agentStartErrors,
    ...policyTextErrors,
    ...declarationErrors,
    ...commandErrors,
  },
  prefix: 'ts',
  collections: [sessions],
  limits: agentLimits,
  declares: { tunnelSession },
  references: [
    parts.referenceOf(sessions, {
      field: 'credential_id',
      sent: 'credential',
      shown: 'credential',
      to: {
        what: 'a credential or an SSH credential',
        collections: [credentials.name, sshCredentials.name],
        has: (records, id) => (records.get(credentials, id) ?? records.get(sshCredentials, id)) !== undefined,
      },
      index: 'credential',
      missing: kit.general.field_invalid,
      deletion: 'cascades',
      rules: 'ngrok-families#keys-and-credentials',
    }),
  ],
})
