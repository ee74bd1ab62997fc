import { collection } from '../contract/collection.ts'
import { refuse } from '../contract/errors.ts'
import { quote } from '../contract/quote.ts'
import type { Family } from '../contract/resource.ts'
import type { Transaction } from '../contract/transaction.ts'

/** Something that this API refers to and cannot create; a route also names its edge. */
interface Declaration {
  readonly id: string
  readonly edge_id: string | null
}

const declarations = collection<Declaration>({
  name: 'declarations',
  key: (record) => record.id,
  fields: ['id', 'edge_id'],
})

/**
 * Edges, routes, endpoint configurations and child backends. They have no operations: with `references: 'declared'`
 * the ones that were declared exist, else all do (decisions, "References to things this API cannot create").
 */
export const declared: Family<Record<never, never>> = { operations: {}, collections: [declarations] }

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
