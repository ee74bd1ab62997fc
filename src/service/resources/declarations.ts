import * as v from 'valibot'
import { collection } from '../../core/operation/collection.ts'
import { type Family, sectionReader } from '../../core/operation/family.ts'
import type { Target } from '../../core/operation/reference.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { declareErrors, entry, ofField, refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { isIdOf } from '../../core/schema/ids.ts'
import { idOf } from '../../core/schema/record-schema.ts'
import { rule } from '../../core/schema/rule.ts'
import { quote } from '../../core/schema/text.ts'
import type { Frozen } from '../../core/schema/values.ts'

export const errors = declareErrors({
  edge_not_found: entry(7000, 404, 'The edge {received} was not declared. Declare it through the direct API first.'),
  endpoint_configuration_not_found: ofField(
    90411,
    400,
    '{field} is {received}, which was not declared. Declare it through the direct API first.',
  ),
})

const isRoute = (id: string) => isIdOf(id, 'edghtsrt_')

/** The prefixes of IDs that can be declared: edges, routes, endpoint configurations, and backends of any kind. */
const DECLARABLE = ['edghts_', 'edghtsrt_', 'edgtcp_', 'edgtls_', 'ec_', 'bkd']

/** The ID prefixes that no other family can use. The other prefixes that can be declared belong to ngrok's families. */
export const declaredPrefixes = ['bkd']

const fields = v.object({
  id: v.pipe(
    v.string(),
    rule([], (id, report) => {
      const isDeclarable = DECLARABLE.some((prefix) => isIdOf(id, prefix))
      if (!isDeclarable)
        report(general.field_invalid, { allowed: 'the ID of an edge, a route, an endpoint configuration or a backend' })
    }),
  ),
  edge_id: v.nullable(idOf('edghts')),
  /** True if an operation created the edge, route, or backend. */
  is_made: v.optional(v.literal(true)),
})

type Declaration = Frozen<v.InferOutput<typeof fields>>

const edgeOfRoute = rule([], ({ id, edge_id }: v.InferOutput<typeof fields>, report) => {
  const at = { path: ['edge_id'], value: edge_id }
  if ((edge_id !== null) !== isRoute(id))
    report(general.field_invalid, { allowed: 'the edge of a route, else null' }, at)
})

const declarations = collection<Declaration>({
  name: 'declarations',
  schema: v.pipe(fields, edgeOfRoute),
  indexes: { edge: ({ edge_id }) => edge_id },
})

/**
 * Edges, routes, endpoint configurations, and child backends. None of these have operations. With `references: 'declared'`, only declared
 * IDs exist; otherwise, all IDs do (rules: references#declared).
 */
export const declared: Family<Record<never, never>, typeof errors> = {
  operations: {},
  errors,
  collections: [declarations],
  relations({ edge_id }: Declaration, others, report) {
    const isKnown = edge_id === null || others.get(declarations, edge_id) !== undefined
    if (!isKnown) report(['edge_id'], edge_id, 'a declared edge')
  },
}

const referenceOptions = sectionReader<{ readonly references: 'any' | 'declared' }>('references')

/**
 * Declares an edge, a route, an endpoint configuration, or a backend. With `references: 'declared'`, only declared IDs exist. With
 * `edge_id`, the route belongs to that edge. A declaration by `declareMade` is not changed.
 */
export function declare(tx: Transaction, id: string, edge_id: string | null = null): void {
  if (!tx.get(declarations, id)?.is_made) tx.put(declarations, { id, edge_id })
}

/** Declares an edge, a route, or a backend that an operation created. All routes of such an edge were created by operations. */
export function declareMade(tx: Transaction, id: string, edge_id: string | null = null): void {
  tx.put(declarations, { id, edge_id, is_made: true })
}

/**
 * Ends the declaration of an ID made by `declare` or `declareMade`. If the ID belongs to an edge, also ends the declarations of the edge's
 * routes. With `references: 'declared'`, these IDs no longer exist.
 */
export function undeclare(tx: Transaction, id: string): void {
  for (const route of tx.findAll(declarations, 'edge', id)) tx.remove(declarations, route)
  const declaration = tx.get(declarations, id)
  if (declaration) tx.remove(declarations, declaration)
}

/** Returns the ID of a linked endpoint configuration, if the request contains one. */
export function requireEndpointConfiguration(
  tx: Transaction,
  field: string,
  id: string | undefined,
): string | undefined {
  if (id !== undefined && isMissing(tx, id))
    refuse(errors.endpoint_configuration_not_found, { field, received: quote(id) })
  return id
}

/** Endpoint configurations, as targets of references. */
export const configurationTarget: Target = {
  what: 'an endpoint configuration',
  collections: ['endpoint_configurations'],
  has: () => true,
  isUndeclared: isMissing,
}

/** Throws an error for a path whose edge does not exist. `name` is the name of the ID in the path. */
export function requireEdge(tx: Transaction, edge: string, name = 'id'): void {
  if (isMissing(tx, edge)) refuse(errors.edge_not_found, { received: edge }, { [name]: edge })
}

/** Returns whether an edge has a route (rules: references#any-id). */
export function hasRoute(tx: Transaction, edge_id: string, id: string): boolean {
  const isStrict = referenceOptions(tx.options).references === 'declared' || tx.get(declarations, edge_id)?.is_made
  return !isStrict || tx.get(declarations, id)?.edge_id === edge_id
}

/** Throws an error for a path whose edge does not exist, or whose route does not exist on that edge. */
export function requireRoute(tx: Transaction, edge_id: string, id: string): void {
  requireEdge(tx, edge_id, 'edge_id')
  if (!hasRoute(tx, edge_id, id))
    refuse(general.not_found, { what: `route of the edge ${edge_id} with the ID`, received: id }, { id })
}

/** Returns whether a resource doesn't exist because it wasn't declared. */
export function isMissing(tx: Transaction, id: string): boolean {
  return referenceOptions(tx.options).references === 'declared' && !tx.get(declarations, id)
}
