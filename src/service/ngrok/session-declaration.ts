import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { requireDomainOfUrl } from './agent-start-errors.ts'
import { bindErrors, requireBindableLabels, requireBindableUrl } from './bind-rules.ts'
import { credentials, newCredential } from './credentials.ts'
import { endpointLimits } from './endpoint-bodies.ts'
import { BINDINGS, type EndpointRecord, endpoints as endpointRecords, findOtherEndpoint } from './endpoint-records.ts'
import { resolvePlace, urlTakenError } from './endpoint-url.ts'
import { BINDING, POLICY, POOLING, publicParts, URL_SENTENCE } from './endpoint-view.ts'
import { isAllowed, restrictions } from './ip-restrictions.ts'
import { requireOwnPlace } from './own-places.ts'
import { requirePolicy } from './policy-text.ts'
import { COMMANDS, openTunnel, type SessionRecord, sessions, type TunnelRecord } from './session-records.ts'
import { descriptionAndMetadata, knownRegions, limits } from './shared.ts'
import { sshCredentials } from './ssh-credentials.ts'

/** The errors of session declarations. */
export const declarationErrors = {
  ...bindErrors,
  ...kit.declareErrors({
    agent_ip_restricted: kit.ofField(
      115,
      403,
      '{field} is {received}, which the IP restriction {restriction} does not allow. Send an allowed address.',
    ),
    agent_limit_reached: kit.tooMany(108),
    agent_url_taken: urlTakenError(
      334,
      "another URL, or pooling_enabled for both endpoints (an edge's endpoint cannot have it)",
    ),
  }),
}

/** The limits on concurrently connected agents. */
export const agentLimits = kit.accountLimits({
  agents: {
    what: 'connected agents',
    reached: declarationErrors.agent_limit_reached,
    plans: { free: 3, hobbyist: 3 },
  },
})

const { metadata } = descriptionAndMetadata()
const FORWARDS_TO = 'The address that the agent forwards traffic to.'
const textWithDefault = (sentence: string, byDefault: string) =>
  v.optional(kit.documented(parts.someText, sentence), byDefault)
const forwards_to = textWithDefault(FORWARDS_TO, 'http://localhost:80')

/** The fields of an agent's online endpoint. */
export const endpointFields = kit.named(
  v.object({
    ...descriptionAndMetadata(),
    url: v.optional(kit.documented(v.string(), `${URL_SENTENCE} Default: a new host under \`ngrok-free.app\`.`)),
    forwards_to,
    name: textWithDefault('The name that the agent gives the endpoint.', 'command_line'),
    binding: v.optional(
      kit.documented(
        parts.oneOfThese(BINDINGS),
        `${BINDING} Default: \`internal\` for hosts under \`.internal\`, else \`public\`.`,
      ),
    ),
    pooling_enabled: v.optional(kit.documented(v.boolean(), POOLING), false),
    traffic_policy: v.optional(kit.documented(v.string(), POLICY)),
    upstream_protocol: v.optional(
      kit.documented(v.string(), 'The protocol that the agent uses for its upstream: `http2`; otherwise HTTP/1.1.'),
    ),
    inspect: v.optional(
      kit.documented(v.boolean(), "False if the agent doesn't record requests to show them in its own API.", {
        rules: 'agent#requests',
      }),
      true,
    ),
  }),
  'AgentEndpoint',
  'An online endpoint of the agent.',
)

/** The fields of an agent's labeled tunnel. */
export const labelledFields = kit.named(
  v.object({
    name: v.exactOptional(kit.documented(parts.someText, 'The name that the agent gives the tunnel.')),
    labels: kit.documented(v.record(v.string(), v.string()), 'The labels that edges use to select the tunnel.'),
    forwards_to,
    metadata,
  }),
  'LabelledTunnel',
  'An open labeled tunnel of the agent.',
)

const failureReason = (command: string) =>
  v.optional(kit.documented(parts.someText, `The reason for the agent's failure to ${command}.`))

const commandFailures = kit.named(
  v.object({ restart: failureReason('restart'), stop: failureReason('stop'), update: failureReason('update') }),
  'CommandFailures',
  'The commands that fail on the agent, and why each fails.',
)

const startTime = v.pipe(
  v.string(),
  parts.readBy<string, number>([], (sent, report) => {
    const allowed = 'a time such as "2026-01-01T00:00:00Z"'
    return parts.recordedMs(sent) ?? report(kit.general.field_invalid, { allowed })
  }),
)

/** The fields of a session declared by a test. */
export const sessionFields = kit.named(
  v.object({
    agent_version: textWithDefault("The agent's version.", '3.39.0'),
    credential: v.optional(
      kit.documented(v.string(), 'The credential or SSH credential of the agent. Default: a new one.'),
    ),
    ip: textWithDefault('The address that the agent connects from.', '203.0.113.10'),
    metadata,
    os: textWithDefault("The agent's operating system.", 'linux'),
    region: v.optional(
      kit.documented(parts.someText, 'The region that the agent is connected to.', knownRegions()),
      'us',
    ),
    started_at: v.optional(
      kit.documented(startTime, 'The time at which the session started. Default: now.', {
        json: { format: 'date-time' },
      }),
    ),
    transport: textWithDefault(
      'The protocol between the agent and the service; `ssh` if there is no agent.',
      'ngrok/2',
    ),
    supports: v.optional(
      kit.documented(
        v.array(parts.oneOfThese(COMMANDS)),
        'The commands that the agent supports. Default: all commands.',
      ),
      [...COMMANDS],
    ),
    failing: v.optional(commandFailures, {}),
    update: v.optional(kit.documented(parts.someText, 'The version that the agent can be updated to. Default: none.')),
    reachable: v.optional(kit.documented(v.boolean(), "False if commands can't reach the agent."), true),
    endpoints: v.optional(kit.documented(v.array(endpointFields), "The agent's online endpoints."), []),
    labelled: v.optional(kit.documented(v.array(labelledFields), "The agent's open labeled tunnels."), []),
    limits,
  }),
  'TunnelSessionDeclaration',
  'Declares an agent session, with its endpoints and tunnels.',
)

/** Starts an agent's session with its tunnels and endpoints. */
export function startSession(tx: kit.Transaction, sent: v.InferOutput<typeof sessionFields>): SessionRecord {
  const { credential, endpoints, labelled, limits, metadata, started_at, update = null, ...facts } = sent
  const { id: credential_id } = requireCredential(tx, credential)
  requireAllowedAddress(tx, facts.ip)
  const session = tx.put(sessions, {
    ...facts,
    ...kit.described({ metadata }),
    id: tx.newId('ts'),
    started_at: started_at ?? tx.now,
    credential_id,
    update,
    next_version: null,
  })
  for (const [index, each] of endpoints.entries())
    parts.prefixFields(`endpoints.${index}`, () => openEndpoint(tx, session, each))
  for (const [index, each] of labelled.entries())
    parts.prefixFields(`labelled.${index}`, () => openLabelled(tx, session, each))
  if (limits) requireWithinLimits(tx, session)
  return session
}

/** The field of a tunnel started through the agent's own API. */
export const STARTED = { is_started: true } as const

/** Opens a labeled tunnel of an agent. */
export function openLabelled(
  tx: kit.Transaction,
  session: SessionRecord,
  { metadata, ...facts }: v.InferOutput<typeof labelledFields>,
  started: Pick<TunnelRecord, 'is_started'> = {},
): void {
  requireBindableLabels(requireCredential(tx, session.credential_id), facts.labels)
  openTunnel(tx, session, { ...facts, ...started, ...kit.described({ metadata }), url: null })
}

/** Starts an endpoint of a connected agent, possibly at a random URL. The rules and limits of the account apply. */
export function startEndpoint(
  tx: kit.Transaction,
  session: SessionRecord,
  sent: v.InferOutput<typeof endpointFields>,
  isRandom: boolean,
): void {
  const endpoint = openEndpoint(tx, { ...session, started_at: tx.now }, sent, { isRandom })
  if (endpoint) parts.requireWithin(tx, endpointLimits, endpointRecords, endpoint)
}

/** Rejects a session and its endpoints if the account now exceeds its limits (rules: account#declaring). */
function requireWithinLimits(tx: kit.Transaction, session: SessionRecord): void {
  parts.requireWithin(tx, agentLimits, sessions, session)
  for (const endpoint of tx.findAll(endpointRecords, 'tunnel_session', session.id))
    parts.requireWithin(tx, endpointLimits, endpointRecords, endpoint)
}

/** Rejects an agent's address if an enforced agent restriction does not allow it. */
function requireAllowedAddress(tx: kit.Transaction, ip: string): void {
  const restriction = tx.find(restrictions, 'type', 'agent')
  if (!restriction?.enforced || isAllowed(tx, restriction, ip)) return
  const facts = { field: 'ip', received: kit.quote(ip), restriction: restriction.id }
  kit.refuse(declarationErrors.agent_ip_restricted, facts)
}

function requireCredential(tx: kit.Transaction, id: string | undefined) {
  if (id === undefined) return newCredential(tx)
  const received = { field: 'credential', received: kit.quote(id) }
  const allowed = 'the ID of a credential or an SSH credential that exists'
  return (
    tx.get(credentials, id) ??
    tx.get(sshCredentials, id) ??
    kit.refuse(kit.general.field_invalid, { ...received, allowed })
  )
}

/** Opens an agent's endpoint. Without `start`, the endpoint is a fact declared by a test, which needs no reservation. */
function openEndpoint(
  tx: kit.Transaction,
  session: SessionRecord,
  sent: v.InferOutput<typeof endpointFields>,
  start?: { readonly isRandom: boolean },
): EndpointRecord | undefined {
  const {
    url = makeUrl(tx),
    binding,
    forwards_to,
    name,
    pooling_enabled,
    traffic_policy = null,
    inspect,
    ...rest
  } = sent
  if (start) requireDomainOfUrl(url)
  const place = resolvePlace(tx, url, binding)
  const credential = requireCredential(tx, session.credential_id)
  requireBindableUrl(credential, place.url, start?.isRandom ?? sent.url === undefined)
  if (start) requireOwnPlace(tx, place, start.isRandom)
  if (traffic_policy !== null) {
    const at = { protocol: publicParts(place).proto, place: place.binding }
    requirePolicy(tx, traffic_policy, at)
  }
  const other = findOtherEndpoint(tx, place)
  if (other && !(pooling_enabled && other.pooling_enabled)) {
    kit.refuse(declarationErrors.agent_url_taken, { field: 'url', received: kit.quote(url), id: other.id })
  }
  const { metadata } = rest
  const started = start && { ...STARTED, ...(!start.isRandom && { has_chosen_url: true as const }) }
  const tunnel = { forwards_to, ...started, ...kit.described({ metadata }), labels: null, url: place.url }
  return openTunnel(tx, session, inspect ? tunnel : { ...tunnel, inspect }, {
    ...kit.described(rest),
    ...place,
    type: 'ephemeral',
    edge_id: null,
    principal_id: credential.owner_id,
    name,
    pooling_enabled,
    traffic_policy,
    upstream_url: forwards_to,
    upstream_protocol: rest.upstream_protocol ?? null,
  })
}

const addressDialect = kit.sectionReader<{
  readonly addressHost: { readonly us: string; readonly first?: number }
}>('addressHost')

/**
 * Generates a URL for an endpoint if the agent does not specify one. TCP addresses use the hosts of reserved addresses in the region `us`.
 */
export function makeUrl(tx: kit.Transaction, scheme = 'https'): string {
  if (scheme === 'tcp') {
    const { us, first } = addressDialect(tx.dialect).addressHost
    return `tcp://${us.replace('{n}', String(tx.randomInteger(first ?? 1)))}:${10_000 + tx.randomInteger(10_000)}`
  }
  const randomHalf = () =>
    tx
      .randomInteger(16 ** 6)
      .toString(16)
      .padStart(6, '0')
  return `${scheme}://${randomHalf()}${randomHalf()}.ngrok-free.app`
}
