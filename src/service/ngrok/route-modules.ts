import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { headerNameSchema, headersSchema } from './header-fields.ts'
import { defineModule, type Owner, ROUTES } from './modules.ts'
import { responseFields, textList } from './shared.ts'

/** The errors for headers. */
export const headerErrors = kit.declareErrors({
  header_name_invalid: kit.field(7023, 400, 'the name of an HTTP header'),
  header_value_invalid: kit.field(7024, 400, 'the value of an HTTP header, without line breaks'),
  header_added_twice: kit.field(7069, 400, 'each header once, regardless of case'),
})

const addedHeaders = headersSchema({
  name: headerErrors.header_name_invalid,
  value: headerErrors.header_value_invalid,
  twice: headerErrors.header_added_twice,
})

const headers = {
  add: v.optional(
    kit.documented(addedHeaders, 'The headers to add, by name. Names are stored in lowercase.', {
      json: { additionalProperties: { type: 'string' } },
    }),
    {},
  ),
  remove: v.optional(
    kit.documented(v.array(headerNameSchema(headerErrors.header_name_invalid)), 'The names of the headers to remove.'),
    () => [],
  ),
}

const headersShape = kit.named(
  v.object({
    enabled: v.unwrap(parts.enabled),
    add: kit.documented(v.record(v.string(), v.string()), 'The headers to add, with lowercase names.'),
    remove: kit.documented(v.array(v.string()), 'The names of the headers to remove, in lowercase.'),
  }),
  'RouteHeaders',
  'The headers that a route adds or removes.',
)

/** Creates the module that adds and removes its owner's headers. */
export function headersModule<Ids extends parts.PathIds>(
  owner: Owner<Ids>,
  message: 'request' | 'response',
  title: string,
) {
  return defineModule(owner, {
    segment: `${message}_headers`,
    title,
    what: `${message} headers`,
    errors: headerErrors,
    body: v.object({ enabled: parts.enabled, ...headers }),
    example: { add: { 'x-frontend': 'ngrok' }, remove: ['cache-control'] },
    shape: headersShape,
    view: (body) => body,
  })
}

/** The request headers that a route adds and removes. */
export const routeRequestHeaders = headersModule(ROUTES, 'request', 'RequestHeaders')

/** The response headers that a route adds and removes. */
export const routeResponseHeaders = headersModule(ROUTES, 'response', 'ResponseHeaders')

/** The module that tunnels TCP traffic over a WebSocket. */
export const routeWebsocketTcpConverter = defineModule(ROUTES, {
  segment: 'websocket_tcp_converter',
  title: 'WebsocketTcpConverter',
  what: 'websocket to TCP converter',
  body: v.object({ enabled: parts.enabled }),
  example: { enabled: true },
  shape: kit.named(
    v.object({ enabled: v.unwrap(parts.enabled) }),
    'RouteWebsocketTcpConverter',
    'Carries TCP traffic from a WebSocket to the upstream.',
  ),
  view: (body) => body,
})

const agentFilters = {
  allow: textList('Regular expressions for the user agents to allow, even if `deny` matches.'),
  deny: textList('Regular expressions for the user agents to reject.'),
}

/** The module that allows and denies user agents. */
export const routeUserAgentFilter = defineModule(ROUTES, {
  segment: 'user_agent_filter',
  title: 'UserAgentFilter',
  what: 'user agent filter',
  body: v.object({ enabled: parts.enabled, ...agentFilters }),
  example: { deny: ['(made_up_bot)/(\\d+)\\.(\\d+)'] },
  shape: kit.named(
    v.object(responseFields({ enabled: parts.enabled, ...agentFilters })),
    'RouteUserAgentFilter',
    'The user agents that a route allows and denies.',
  ),
  view: (body) => body,
})
