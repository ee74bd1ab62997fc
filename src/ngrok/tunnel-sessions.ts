import * as v from 'valibot'
import {
  declaration,
  documented,
  type Frozen,
  familyOf,
  named,
  readOperations,
  refTo,
  resourceHead,
  time,
  timestamp,
  type View,
} from '../kit/index.ts'
import { urlErrors } from './endpoint-url.ts'
import { credentials, sshCredentials } from './owned-records.ts'
import { errors as commandErrors, sessionCommands } from './session-commands.ts'
import { declarationErrors, sessionFields, startSession } from './session-declaration.ts'
import { endSession, type SessionRecord, sessions } from './session-records.ts'
import { knownRegions, refField } from './shared.ts'

const { id, uri, metadata } = resourceHead
const text = (sentence: string) => documented(v.string(), sentence)

const shape = named(
  v.object({
    id,
    uri,
    metadata,
    agent_version: text('The version of the agent.'),
    credential: refField('The credential or SSH credential of the agent.'),
    ip: text('The address that the agent connects from.'),
    os: text('The operating system of the agent.'),
    region: documented(v.string(), 'The region that the agent is connected to.', knownRegions()),
    started_at: documented(time, 'The time at which the session started.'),
    transport: text('The protocol between agent and service; `ssh` without an agent.'),
  }),
  'TunnelSession',
  'The connection of an agent.',
)

const view: View<SessionRecord, Frozen<v.InferOutput<typeof shape>>> = (session, wire) => {
  const { id, metadata, agent_version, credential_id, ip, os, region, started_at, transport } = session
  const path = credential_id.startsWith('sshcr_') ? '/ssh_credentials' : '/credentials'
  return {
    id,
    uri: `${wire.url}/tunnel_sessions/${id}`,
    ...(metadata !== undefined && { metadata }),
    agent_version,
    credential: refTo(wire, path, credential_id),
    ip,
    os,
    region,
    started_at: timestamp(started_at),
    transport,
  }
}

const tunnelSession = declaration({
  schema: sessionFields,
  answer: shape,
  errors: [...Object.values(urlErrors), ...Object.values(declarationErrors)],
  run: (tx, sent) => tx.show(view, startSession(tx, sent)),
  end: {
    prefix: 'ts',
    run(tx, id) {
      const session = tx.get(sessions, id)
      if (session) endSession(tx, session)
      return session !== undefined
    },
  },
})

/** Sessions of agents. Tests declare them, and the API stops, restarts and updates their agents. */
export const tunnelSessions = familyOf({
  operations: {
    ...readOperations(
      {
        name: 'tunnel_sessions',
        path: '/tunnel_sessions',
        items: 'tunnel_sessions',
        prefix: 'ts',
        what: 'tunnel session',
        collection: sessions,
        filterable: ['id', 'metadata', 'agent_version', 'ip', 'os', 'region', 'started_at', 'credential'],
        shape,
      },
      view,
    ),
    ...sessionCommands,
  },
  errors: { ...urlErrors, ...declarationErrors, ...commandErrors },
  prefix: 'ts',
  collections: [sessions],
  declares: { tunnelSession },
  relations({ credential_id }: SessionRecord, others, report) {
    const isThere = others.get(credentials, credential_id) ?? others.get(sshCredentials, credential_id)
    if (!isThere) report(['credential_id'], credential_id, 'a credential that exists')
  },
})
