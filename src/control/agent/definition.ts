import * as v from 'valibot'
import { bodyReader, requireJsonObject } from '../../core/schema/body.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { oneOfThese } from '../../core/schema/options.ts'
import type { RuleContext } from '../../core/schema/rule.ts'
import { anyObject, secret } from '../../core/schema/schema.ts'

const text = (sentence: string) => v.exactOptional(documented(v.string(), sentence))
const flag = (sentence: string) => v.exactOptional(documented(v.boolean(), sentence))
const policy = (sentence: string) =>
  v.exactOptional(documented(v.union([v.string(), anyObject<object>()], 'a string or an object'), sentence))

const SCHEMES = ['http', 'https'] as const

/** The name that agents give to a tunnel without a name. */
export const NAME_BY_DEFAULT = 'command_line'

/** The schema of a tunnel definition, as in version 2 of the agent's config file (rules: agent#definitions). */
export const tunnelDefinition = named(
  v.object({
    name: v.optional(documented(v.string(), 'The name of the tunnel.'), NAME_BY_DEFAULT),
    addr: documented(
      v.union([v.string(), v.number()], 'a port, an address, or a URL'),
      'The upstream that the agent forwards to: a port such as 80, an address such as `localhost:80`, or a URL.',
    ),
    proto: v.optional(documented(oneOfThese(['http', 'https', 'tcp', 'tls']), 'The protocol of the tunnel.'), 'http'),
    url: text('The URL of the endpoint. Default: a new URL.'),
    domain: text('The host of the URL.'),
    hostname: text('The host of the URL, under the name used by agents before version 3.'),
    subdomain: text('The first label of a host under `ngrok.app`.'),
    remote_addr: text('The host and the port of a tcp URL.'),
    schemes: v.exactOptional(
      documented(v.array(oneOfThese(SCHEMES)), 'The URL schemes of an http tunnel. Default: only https.'),
    ),
    bind_tls: v.exactOptional(
      documented(
        v.union([v.boolean(), oneOfThese(['true', 'false', 'both'])], 'true, false or "both"'),
        'The schemes, in the form used by agents before version 3: true for https, false for http, `both` for two tunnels.',
      ),
    ),
    inspect: flag('False to prevent the agent from recording requests. Default: true.'),
    basic_auth: v.exactOptional(
      documented(
        v.array(
          v.pipe(v.string(), v.regex(/^[^:]+:.{8,128}$/, 'a name, ":" and a password of 8 to 128 characters'), secret),
        ),
        'The credentials that visitors can use, each in the form `name:password`.',
      ),
    ),
    traffic_policy: policy('The policy of the endpoint.'),
    policy: policy('The policy of the endpoint, under the name used by agents before 3.14.'),
    labels: v.exactOptional(
      documented(
        v.array(v.string()),
        'The labels that edges use to find the tunnel, such as `env=prod`. A tunnel with labels has no URL.',
      ),
    ),
    metadata: text('Arbitrary text that the API shows with the tunnel.'),
    pooling_enabled: flag('True if other endpoints may share the URL.'),
  }),
  'AgentTunnelDefinition',
  'The definition of a tunnel that the agent starts.',
)

export type TunnelDefinition = v.InferOutput<typeof tunnelDefinition>

/** Additional fields that agents accept, but that have no effect here. */
const UNUSED_FIELDS = [
  'circuit_breaker',
  'compression',
  'crt',
  'host_header',
  'ip_restriction',
  'key',
  'mutual_tls_cas',
  'oauth',
  'oidc',
  'proxy_proto',
  'request_header',
  'response_header',
  'terminate_at',
  'user_agent_filter',
  'verify_webhook',
  'websocket_tcp_converter',
] as const

/** The fields of a definition that have no effect here. */
export type UnusedFields = { readonly [Name in (typeof UNUSED_FIELDS)[number]]?: unknown }

const read = /* @__PURE__ */ bodyReader(tunnelDefinition)

/** Reads a tunnel definition. */
export function readDefinition(sent: unknown, context: RuleContext): TunnelDefinition {
  const fields = Object.entries(requireJsonObject(sent)).filter(
    ([name]) => !UNUSED_FIELDS.some((each) => each === name),
  )
  return read(Object.fromEntries(fields), {}, context)
}
