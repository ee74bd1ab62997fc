import * as v from 'valibot'
import type { Declaration, Families } from '../core/operation/family.ts'
import { documented, named } from '../core/schema/documentation.ts'
import { ANY_VALUE, prefixFields, refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { idPattern, isIdOf } from '../core/schema/ids.ts'
import { optionsOf, readCallOptions } from '../core/schema/options.ts'
import { rule, ruleOnWhole } from '../core/schema/rule.ts'
import { quote, toSnakeCase } from '../core/schema/text.ts'
import { declared, declare as declareOne } from '../service/resources/declarations.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'

/**
 * Creates the field for an ID with a prefix, or with one of several prefixes separated by `|`. A backend's prefix continues after
 * "bkd".
 */
const idField = (prefix: string, sentence: string) =>
  documented(
    v.pipe(
      v.string(),
      rule([], (id, report) => {
        const prefixes = prefix.split('|')
        if (prefixes.some((each) => isIdOf(id, each === 'bkd' ? each : `${each}_`))) return
        const allowed = `an ID that starts with "${prefixes.join('" or "')}", "_", letters and digits`
        report(general.field_invalid, { allowed })
      }),
    ),
    sentence,
    { json: { pattern: idPattern(prefix === 'bkd' ? 'bkd[a-z]*' : prefix) } },
  )

const fields = v.object({
  edge: v.optional(idField('edghts|edgtcp|edgtls', 'The ID of an HTTPS, TCP, or TLS edge.')),
  routes: v.optional(
    documented(
      v.array(idField('edghtsrt', 'A route.')),
      'The IDs of routes to add to the edge, which must be an HTTPS edge.',
    ),
  ),
  endpoint_configuration: v.optional(idField('ec', 'The ID of an endpoint configuration.')),
  backend: v.optional(idField('bkd', 'The ID of a backend that can be a child of a weighted backend.')),
})

/** The fields that can be used alone. Routes require their edge. */
const INDEPENDENT_FIELDS = ['edge', 'endpoint_configuration', 'backend'] as const

type Fields = v.InferOutput<typeof fields>

/** Creates the rule that a declaration must contain at least one of these fields, and may contain routes only with an HTTPS edge. */
const consistent = (names: readonly string[]) =>
  ruleOnWhole<Fields, never>([], (sent, report) => {
    if (names.every((name) => Reflect.get(sent, name) === undefined))
      report(general.field_invalid, { allowed: `one of ${names.join(', ')}`, choices: names })
    const isRouted = typeof sent.edge === 'string' && sent.edge.startsWith('edghts_')
    if (sent.routes !== undefined && !isRouted) {
      report(
        general.field_invalid,
        { allowed: 'routes along with their HTTPS edge' },
        { path: ['routes'], value: sent.routes },
      )
    }
  })

/** Returns the declarations that a gateway's families add, by their names over HTTP. */
function collectDeclarations(families: Families): Readonly<Record<string, Declaration>> {
  const added = Object.values(families).flatMap(({ declares = {} }) => Object.entries(declares))
  return Object.fromEntries(added.map(([name, each]) => [toSnakeCase(name), each]))
}

function createDeclareCall(families: Families) {
  const added = collectDeclarations(families)
  const addedFields = Object.entries(added).map(([name, { schema }]) => [name, v.optional(schema)] as const)
  const addedResults = Object.entries(added).map(([name, { response }]) => [name, v.exactOptional(response)] as const)
  const body = v.object({ ...fields.entries, ...Object.fromEntries(addedFields) })
  const schema = v.pipe(body, consistent([...INDEPENDENT_FIELDS, ...Object.keys(added)]))
  return controlCall({
    method: 'POST',
    path: '/declare',
    summary: 'Declare edges with routes, endpoint configurations, and child backends',
    commands: [{ name: 'declare', example: '--edge edghts_1 --routes edghtsrt_1' }],
    from: 'body',
    schema: named(schema, 'Declaration', 'The resources to declare: at least one.'),
    ...(addedResults.length > 0 && {
      response: named(
        v.object(Object.fromEntries(addedResults)),
        'Declared',
        'The declared resources, by their fields.',
      ),
    }),
    errors: Object.values(added).flatMap(({ errors = [] }) => errors),
    run: (host, sent) =>
      host.transact((tx) => {
        const { edge, routes = [], endpoint_configuration, backend } = sent
        for (const id of [edge, endpoint_configuration, backend]) if (id !== undefined) declareOne(tx, id)
        for (const route of routes) declareOne(tx, route, edge)
        const inputs = Object.entries(sent).filter(([name, input]) => Object.hasOwn(added, name) && input !== undefined)
        const results = inputs.map(([name, input]) => [name, prefixFields(name, () => added[name]?.run(tx, input))])
        return addedResults.length > 0 ? Object.fromEntries(results) : undefined
      }),
  })
}

const endSchema = v.object({ id: documented(v.string(), 'The ID of a declared resource, such as a session.') })

function createEndCall(families: Families) {
  const ends = Object.values(collectDeclarations(families)).flatMap(({ end }) => end ?? [])
  return controlCall({
    method: 'DELETE',
    path: '/declare',
    summary: 'End a declared resource, such as an agent session',
    from: 'query',
    schema: endSchema,
    errors: [general.not_found, ...ends.flatMap(({ errors = [] }) => errors)],
    run: (host, { id }) =>
      host.transact((tx) => {
        const isEnded = ends.some(({ prefix, run }) => isIdOf(id, `${prefix}_`) && run(tx, id))
        if (!isEnded) refuse(general.not_found, { what: 'declared resource with the ID', received: quote(id) }, { id })
      }),
  })
}

/**
 * Declares resources that this API refers to but cannot create. Needed only with `references: 'declared'`. Each
 * function throws a GatewayError `field_invalid` for an ID of another type.
 *
 * @example
 * ```ts
 * const gateway = createGateway({ references: 'declared' })
 * gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1'] })
 * gateway.compression.replace({ edge_id: 'edghts_1', id: 'edghtsrt_1' })
 * ```
 */
export interface Declare {
  /** Declares an HTTPS edge with routes, a TCP edge, or a TLS edge. Declaring an edge again adds routes. */
  edge(id: string, options?: { readonly routes?: readonly string[] }): void
  /** Declares an endpoint configuration that an address or a domain can link to. */
  endpointConfiguration(id: string): void
  /** Declares a backend that can be a child of a weighted backend. */
  backend(id: string): void
  /**
   * Ends a declared resource, such as an agent session. Each family defines which resources can be ended.
   * @throws GatewayError `not_found` if no such resource has this ID.
   */
  end(id: string): void
}

/** The names that a family's declarations cannot use over HTTP. */
export const reservedDeclarations = [...Object.keys(fields.entries), 'end']

export interface DeclareMember {
  /** Declares resources that this API refers to but cannot create; see `references`. */
  readonly declare: Declare
}

export const declare: Control<DeclareMember> = {
  calls: (families) => [createDeclareCall(families), createEndCall(families)],
  state: () => declared,
  members: (host) => ({ declare: createDeclare(host) }),
}

/** The names of the options. The call checks their values. */
const edgeOptions = optionsOf({ routes: v.optional(v.unknown()) })

/** Returns the input of a call with one parameter. Throws an error that names the parameter if it is missing. */
function requireParameter(name: string, value: unknown): object {
  if (value !== undefined && value !== null) return { [name]: value }
  return refuse(general.field_invalid, { field: name, received: quote(value), allowed: ANY_VALUE })
}

function createDeclare(host: ControlHost): Declare {
  // Created lazily: few tests declare anything, and creating the schemas takes a tenth of the time of creating a gateway.
  let call: ReturnType<typeof createDeclareCall> | undefined
  const run = (input: object) => {
    call ??= createDeclareCall(host.families)
    const { run: declareIt } = call
    return host.ofTest(() => declareIt(host, input))
  }
  const names = Object.values(host.families).flatMap(({ declares = {} }) => Object.keys(declares))
  const familyCalls = names.map((name) => {
    const field = toSnakeCase(name)
    return [name, (input: unknown = {}) => run(requireParameter(field, input))?.[field]]
  })
  return {
    ...Object.fromEntries(familyCalls),
    edge: (id, options = {}) => void run({ ...requireParameter('edge', id), ...readCallOptions(edgeOptions, options) }),
    endpointConfiguration: (id) => void run(requireParameter('endpoint_configuration', id)),
    backend: (id) => void run(requireParameter('backend', id)),
    end: (id) => createEndCall(host.families).run(host, { id }),
  }
}
