// Formats the section of the reference about the fields of the events of sessions and traffic.
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { FILTERABLE, fieldsOf } from '../../src/service/ngrok/event-types.ts'
import { table } from './markdown.ts'

const SESSION = 'agent_session_start.v0'
const TRAFFIC = ['http_request_complete.v0', 'tcp_connection_closed.v0']

export function formatEventFields(): string {
  const session = listSessionFields()
  const paths = [...new Set([...TRAFFIC.flatMap(fieldsOf), ...session])].sort()
  const rows = paths.map((path) => [
    `\`${path}\``,
    session.includes(path) ? 'yes' : '',
    ...TRAFFIC.map((type) => {
      if (!fieldsOf(type).includes(path)) return ''
      return path in FILTERABLE ? 'yes, and in filters' : 'yes'
    }),
  ])
  return [
    '## Fields of events',
    '[Test traffic events](events.md#test-traffic-events) shows how to choose the fields and the filter.',
    table(['field', '`agent_session_*`', ...TRAFFIC.map((type) => `\`${type}\``)], rows),
  ].join('\n\n')
}

/** Returns the paths of the fields of an agent session's event. */
function listSessionFields(): readonly string[] {
  const gateway = createNgrok()
  const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
  gateway.eventSubscriptions.create({ sources: [{ type: SESSION }], destination_ids: [id] })
  gateway.declare.tunnelSession()
  return listPaths(gateway.sentEvents.list()[0]?.object ?? {})
}

function listPaths(object: object, owner = ''): string[] {
  return Object.entries(object).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? listPaths(value, `${owner}${name}.`) : [`${owner}${name}`],
  )
}
