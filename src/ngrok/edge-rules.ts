import type { CatalogueError, Transaction } from '../kit/index.ts'
import { edgeErrors } from './edge-errors.ts'
import { changedEdge, madeEdge, releaseEdge, type SentEdge } from './edge-hostports.ts'
import type { EdgeRecord } from './edge-records.ts'
import type { EdgeKind } from './endpoint-records.ts'

/** The modules of an edge. */
interface ModulesOf<Resource> {
  readonly errors: Readonly<Record<string, CatalogueError>>
  view(tx: Transaction, ids: { readonly id: string }): Resource
  set(tx: Transaction, ids: { readonly id: string }, body: object): void
  remove(tx: Transaction, ids: { readonly id: string }): void
}

/** The rules of a kind of edge beside its view (rules: edges#edges). */
export function edgeRules<Resource>(kind: EdgeKind, modules: ModulesOf<Resource>) {
  const errors = [...Object.values(edgeErrors), ...Object.values(modules.errors)]
  const withModules = (tx: Transaction, edge: EdgeRecord, body: SentEdge) => {
    modules.set(tx, { id: edge.id }, body)
    return edge
  }
  return {
    related: (tx: Transaction, { id }: EdgeRecord) => modules.view(tx, { id }),
    create: {
      errors,
      run: (tx: Transaction, body: SentEdge) => withModules(tx, madeEdge(tx, kind, body), body),
    },
    update: {
      errors,
      run: (tx: Transaction, before: EdgeRecord, body: SentEdge) =>
        withModules(tx, changedEdge(tx, kind, before, body), body),
    },
    delete: {
      before(tx: Transaction, edge: EdgeRecord) {
        modules.remove(tx, { id: edge.id })
        releaseEdge(tx, edge)
      },
    },
  }
}
