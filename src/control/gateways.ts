import * as v from 'valibot'
import { requireJsonObject } from '../core/schema/body.ts'
import { documented, named } from '../core/schema/documentation.ts'
import { declareErrors, entry, refuse } from '../core/schema/errors.ts'
import { anyObject } from '../core/schema/schema.ts'
import { type Control, type ControlCall, controlCall } from './control.ts'
import type { GatewayHost } from './gateway-host.ts'

export const errors = declareErrors({
  gateways_unavailable: entry(
    90462,
    400,
    'Only a server started with `fauxgate serve`, or with `serve` from `fauxgate/node`, can have additional gateways.',
  ),
  gateway_not_found: entry(
    90463,
    404,
    'This server has no gateway {name}. It was deleted, it was unused for an hour, or the server restarted. POST /_fauxgate/gateways creates one.',
  ),
  gateway_options_invalid: entry(90464, 400, 'The gateway cannot be created: {why}'),
})

const gatewayName = documented(v.string(), "The gateway's name, which is part of its URL.")

const hosted = named(
  v.object({
    name: gatewayName,
    url: documented(
      v.string(),
      "The base URL of its API, without a trailing slash. Its controls are under `/_fauxgate/` there, and its agent's API is under " +
        '`/api/`.',
    ),
  }),
  'HostedGateway',
  'An additional gateway on a server, with its own state, clock, and controls.',
)

const create: ControlCall = {
  method: 'POST',
  path: '/gateways',
  summary: 'Create an additional gateway, which is deleted after an hour without requests',
  from: 'body',
  schema: anyObject<object>('an object with the options of a gateway'),
  response: hosted,
  errors: [errors.gateways_unavailable, errors.gateway_options_invalid],
  run: (host, raw) => requireGatewayHost(host.hooks).create(requireJsonObject(raw), host.engine.context),
}

const remove = controlCall({
  method: 'DELETE',
  path: '/gateways',
  summary: 'Remove an additional gateway, and end the requests that are waiting there',
  from: 'query',
  schema: v.object({ name: gatewayName }),
  errors: [errors.gateways_unavailable, errors.gateway_not_found],
  run: (host, { name }) => requireGatewayHost(host.hooks).remove(name),
})

/** Available only over HTTP. In the same process, `createGateway` creates a gateway. */
export const gateways: Control<object, typeof errors> = { calls: [create, remove], errors }

export function requireGatewayHost({ gatewayHost }: { readonly gatewayHost?: GatewayHost | undefined }): GatewayHost {
  return gatewayHost ?? refuse(errors.gateways_unavailable, {})
}
