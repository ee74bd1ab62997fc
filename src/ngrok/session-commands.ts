import * as v from 'valibot'
import {
  declareErrors,
  documented,
  entry,
  general,
  named,
  operationWithBody,
  refuse,
  required,
  type Transaction,
} from '../kit/index.ts'
import { type COMMANDS, endSession, restartSession, type SessionRecord, sessions } from './session-records.ts'

type Command = (typeof COMMANDS)[number]

const unsupported = (number: number, command: Command) =>
  entry(
    number,
    400,
    (it: { id: string; os: string; supports: string }) =>
      `The agent of ${it.id} does not support ${command}: its os is ${it.os}, and it supports ${it.supports}.`,
  )

const failed = (number: number, command: Command) =>
  entry(number, 400, (it: { id: string; reason: string }) => `The ${command} of ${it.id} failed: ${it.reason}.`)

const overSsh = (number: number, command: Command) =>
  entry(
    number,
    400,
    (it: { id: string }) => `The transport of ${it.id} is ssh. Only a session of an agent can ${command}.`,
  )

/** The errors of {@link sessionCommands}. */
export const errors = declareErrors({
  session_restart_unsupported: unsupported(804, 'restart'),
  session_stop_unsupported: unsupported(805, 'stop'),
  session_update_unsupported: unsupported(806, 'update'),
  session_stop_failed: failed(807, 'stop'),
  session_restart_failed: failed(808, 'restart'),
  session_update_failed: failed(809, 'update'),
  session_unreachable: entry(810, 503, (it: { id: string }) => `The agent of ${it.id} cannot be reached. Try again.`),
  session_update_over_ssh: overSsh(1121, 'update'),
  session_restart_over_ssh: overSsh(1122, 'restart'),
})

const ERRORS = {
  stop: [errors.session_stop_unsupported, errors.session_stop_failed],
  restart: [errors.session_restart_unsupported, errors.session_restart_failed, errors.session_restart_over_ssh],
  update: [errors.session_update_unsupported, errors.session_update_failed, errors.session_update_over_ssh],
} as const

const ofOne = { path: '/tunnel_sessions/{id}', ids: { id: 'ts' } }

/** Returns the session of an agent that obeys the command, or refuses the command. */
function obeying(tx: Transaction, id: string, command: Command): SessionRecord {
  const session = required(tx, sessions, id, 'tunnel session')
  const [unsupported, failed, overSsh] = ERRORS[command]
  if (overSsh && session.transport === 'ssh') refuse(overSsh, { id })
  const isWindows = command === 'restart' && session.os === 'windows'
  if (isWindows || !session.supports.includes(command)) {
    refuse(unsupported, { id, os: session.os, supports: session.supports.join(', ') || 'nothing' })
  }
  if (!session.reachable) refuse(errors.session_unreachable, { id })
  const reason = session.failing[command]
  if (reason !== undefined) refuse(failed, { id, reason })
  return session
}

const command = (verb: Command, summary: string) =>
  ({
    method: 'POST',
    path: `${ofOne.path}/${verb}`,
    status: 204,
    summary,
    ids: ofOne.ids,
    errors: [general.not_found, errors.session_unreachable, ...ERRORS[verb]],
  }) as const

const noFields = named(v.object({}), 'TunnelSessionCommand', 'The body of a command: no field, or the id of the path.')

const updateBody = named(
  v.object({
    version: v.optional(
      documented(v.string(), 'The version that the agent is updated to. Default: the available one.', {
        rules: 'ngrok-families#tunnel-sessions',
      }),
    ),
  }),
  'TunnelSessionUpdate',
  'The update of an agent.',
)

/** The operations that ask the agent of a session for something. */
export const sessionCommands = {
  stop: operationWithBody({
    ...command('stop', 'Stop the agent of a tunnel session'),
    name: 'tunnel_sessions.stop',
    body: noFields,
    run: (tx, { id }) => endSession(tx, obeying(tx, id, 'stop')),
  }),
  restart: operationWithBody({
    ...command('restart', 'Restart the agent of a tunnel session'),
    name: 'tunnel_sessions.restart',
    body: noFields,
    run: (tx, { id }) => restartSession(tx, obeying(tx, id, 'restart')),
  }),
  update: operationWithBody({
    ...command('update', 'Update the agent of a tunnel session, from its restart on'),
    name: 'tunnel_sessions.update',
    body: updateBody,
    run(tx, { id }, { version }) {
      const session = obeying(tx, id, 'update')
      const { update, next_version } = session
      if (next_version !== null) {
        refuse(errors.session_update_failed, { id, reason: `version ${next_version} awaits a restart` })
      }
      if (update === null) refuse(errors.session_update_failed, { id, reason: 'there is no update' })
      tx.put(sessions, { ...session, next_version: version || update })
    },
  }),
}
