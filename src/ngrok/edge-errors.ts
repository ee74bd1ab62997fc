import {
  type AccountLimit,
  accountLimits,
  declareErrors,
  type FieldFacts,
  field,
  ofField,
  tooFast,
  tooLong,
  tooMany,
} from '../kit/index.ts'
import { texts } from './shared.ts'

type OfHostport = FieldFacts & { readonly problem: string }

const hostport = (number: number) =>
  ofField(number, 400, (it: OfHostport) => `${it.field} is ${it.received}, which ${it.problem}.`)

/** The errors of edges of every kind. */
export const edgeErrors = declareErrors({
  edge_limit_reached_older: tooMany(7009),
  edge_limit_reached: tooMany(7070),
  edge_rate_reached: tooFast(7071),
  edge_description_too_long: tooLong(7073),
  edge_metadata_too_long: tooLong(7074),
  edge_hostport_invalid: field(7104, 400, () => 'a host and a port, such as "app.example.com:443"'),
  edge_port_out_of_range: field(7112, 400, () => 'a port from 1 to 65535'),
  edge_address_not_reserved: hostport(7113),
  edge_port_not_443: hostport(7116),
  edge_domain_not_reserved: hostport(7117),
  tcp_edge_on_domain: hostport(7120),
  https_edge_on_address: hostport(7121),
  edge_hostport_taken: hostport(7122),
  edge_hostport_of_endpoint: hostport(7132),
  tls_edge_on_address: hostport(7133),
})

/** The texts of an edge or a route. */
export const edgeTexts = texts({
  description: edgeErrors.edge_description_too_long,
  metadata: edgeErrors.edge_metadata_too_long,
})

/** Makes the limit of edges of one kind. */
export function edgeLimit<Name extends string>(name: Name, what: string): Readonly<Record<Name, AccountLimit>> {
  const { edge_limit_reached: reached, edge_limit_reached_older: older, edge_rate_reached: rate } = edgeErrors
  // The type checker does not follow a computed name.
  return accountLimits({ [name]: { what, reached, older, rate } } as Record<Name, AccountLimit>)
}
