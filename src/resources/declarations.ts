import * as v from 'valibot'
import { collection } from '../contract/collection.ts'
import { refuse } from '../contract/errors.ts'
import { isIdOf } from '../contract/ids.ts'
import { quote } from '../contract/quote.ts'
import { idOf } from '../contract/record-schema.ts'
import type { Family } from '../contract/resource.ts'
import { rule } from '../contract/schema.ts'
import type { Transaction } from '../contract/transaction.ts'
import type { Frozen } from '../contract/view.ts'

const isRoute = (id: string) => isIdOf(id, 'edghtsrt_')

const fields = v.object({
  id: v.pipe(
    v.string(),
    rule<string>((id, report) => {
      const isDeclarable = isRoute(id) || ['edghts_', 'ec_', 'bkd'].some((start) => isIdOf(id, start))
      if (!isDeclarable) report('field_invalid', { allowed: 'an id of what can be declared' })
    }),
  ),
  edge_id: v.nullable(idOf('edghts')),
})

/** Something that this API refers to and cannot create; a route also names its edge. */
type Declaration = Frozen<v.InferOutput<typeof fields>>

const edgeOfRoute = rule<v.InferOutput<typeof fields>>(({ id, edge_id }, report) => {
  const at = { path: ['edge_id'], value: edge_id }
  if ((edge_id !== null) !== isRoute(id)) report('field_invalid', { allowed: 'the edge of a route, else null' }, at)
})

const declarations = collection<Declaration>({
  name: 'declarations',
  key: (record) => record.id,
  schema: v.pipe(fields, edgeOfRoute),
})

/**
 * Edges, routes, endpoint configurations and child backends. They have no operations: with `references: 'declared'`
 * the ones that were declared exist, else all do (decisions, "References to things this API cannot create").
 */
export const declared: Family<Record<never, never>> = {
  operations: {},
  collections: [declarations],
  relations({ edge_id }: Declaration, others, report) {
    const isKnown = edge_id === null || others.get(declarations, edge_id) !== undefined
    if (!isKnown) report(['edge_id'], edge_id, 'an edge that is declared')
  },
}

/** Declares one thing, or changes which edge a route belongs to. */
export function declare(tx: Transaction, id: string, edge_id: string | null = null): void {
  tx.put(declarations, { id, edge_id })
}

/** The id of a linked endpoint configuration, undefined when none was given. */
export function endpointConfiguration(tx: Transaction, field: string, id: string | undefined): string | undefined {
  if (id !== undefined && isMissing(tx, id)) refuse('endpoint_configuration_not_found', { field, received: quote(id) })
  return id
}

/** Refuses a child backend that does not exist. Weighted ones are no declarations: they must exist in truth. */
export function requireDeclaredBackend(tx: Transaction, id: string): void {
  if (!isMissing(tx, id)) return
  refuse('child_backend_not_found', {
    field: `backends.${id}`,
    received: quote(id),
    problem: 'was not declared',
    allowed: 'backends declared through the direct API, and weighted backends that exist',
  })
}

/** Refuses a path whose edge, or whose route on that edge, does not exist. */
export function requireRoute(tx: Transaction, edge_id: string, id: string): void {
  if (isMissing(tx, edge_id)) refuse('edge_not_found', { received: edge_id }, { edge_id })
  const isElsewhere = tx.rules.references === 'declared' && tx.get(declarations, id)?.edge_id !== edge_id
  if (isElsewhere) refuse('not_found', { what: `route of the edge ${edge_id} with the id`, received: id }, { id })
}

function isMissing(tx: Transaction, id: string): boolean {
  return tx.rules.references === 'declared' && !tx.get(declarations, id)
}
