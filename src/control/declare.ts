import * as v from 'valibot'
import { declared, declare as declareOne } from '../resources/declarations.ts'
import { documented, named } from '../schema/documentation.ts'
import { general } from '../schema/general-errors.ts'
import { idPattern, isIdOf } from '../schema/ids.ts'
import { optionsOf, readCallOptions } from '../schema/options.ts'
import { rule, ruleOnWhole } from '../schema/rule.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'

/** An id of a type. The prefixes of backends have more letters after "bkd". */
const idOf = (prefix: string, sentence: string) =>
  documented(
    v.pipe(
      v.string(),
      rule([], (id, report) => {
        if (isIdOf(id, prefix === 'bkd' ? prefix : `${prefix}_`)) return
        report(general.field_invalid, { allowed: `an id that starts with "${prefix}", "_", letters and digits` })
      }),
    ),
    sentence,
    { json: { pattern: idPattern(prefix === 'bkd' ? 'bkd[a-z]*' : prefix) } },
  )

const fields = v.object({
  edge: v.optional(idOf('edghts', 'An HTTPS edge.')),
  routes: v.optional(documented(v.array(idOf('edghtsrt', 'A route.')), 'Routes to add to the edge.')),
  endpoint_configuration: v.optional(idOf('ec', 'An endpoint configuration.')),
  backend: v.optional(idOf('bkd', 'A backend that can be a child of a weighted one.')),
})

const consistent = ruleOnWhole<v.InferOutput<typeof fields>, never>([], (sent, report) => {
  const names = ['edge', 'endpoint_configuration', 'backend'] as const
  if (names.every((name) => sent[name] === undefined))
    report(general.field_invalid, { allowed: `one of ${names.join(', ')}` })
  if (sent.routes !== undefined && sent.edge === undefined) {
    report(
      general.field_invalid,
      { allowed: 'routes together with their edge' },
      { path: ['routes'], value: sent.routes },
    )
  }
})

const declareCall = controlCall({
  method: 'POST',
  path: '/declare',
  summary: 'Declare edges with routes, endpoint configurations and child backends',
  from: 'body',
  schema: named(v.pipe(fields, consistent), 'Declaration', 'Things to declare: at least one.'),
  run: (host, { edge, routes = [], endpoint_configuration, backend }) =>
    host.transact((tx) => {
      for (const id of [edge, endpoint_configuration, backend]) if (id !== undefined) declareOne(tx, id)
      for (const route of routes) declareOne(tx, route, edge)
    }),
})

/**
 * Declares resources that this API refers to and cannot create. Only `references: 'declared'` asks for that. Each
 * function throws a GatewayError `field_invalid` for an id of another type.
 *
 * @example
 * ```ts
 * const gateway = createGateway({ references: 'declared' })
 * gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
 * gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' })
 * ```
 */
export interface Declare {
  /** Declares an HTTPS edge with routes. Declaring it again adds routes. */
  edge(id: string, options?: { readonly routes?: readonly string[] }): void
  /** Declares an endpoint configuration that an address or a domain can link. */
  endpointConfiguration(id: string): void
  /** Declares a backend that a weighted backend can have as a child. */
  backend(id: string): void
}

export interface DeclareMember {
  /** Declares resources that this API refers to and cannot create; see `references`. */
  readonly declare: Declare
}

export const declare: Control<DeclareMember> = {
  calls: { declare: declareCall },
  state: () => declared,
  members: (host) => ({ declare: direct(host) }),
}

/** The values are checked by the call. */
const edgeOptions = optionsOf({ routes: v.optional(v.unknown()) })

function direct(host: ControlHost): Declare {
  return {
    edge: (edge, options = {}) => declareCall.run(host, { edge, ...readCallOptions(edgeOptions, options) }),
    endpointConfiguration: (id) => declareCall.run(host, { endpoint_configuration: id }),
    backend: (backend) => declareCall.run(host, { backend }),
  }
}
