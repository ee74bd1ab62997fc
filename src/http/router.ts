import { refuse } from '../contract/errors.ts'
import type { Operation, PathIds } from '../contract/operation.ts'

/** The operations of one path, by method. */
export interface Route {
  readonly methods: ReadonlyMap<string, Operation>
  readonly ids: PathIds
}

interface Node {
  readonly fixed: Map<string, Node>
  readonly methods: Map<string, Operation>
  parameter?: { readonly name: string; readonly node: Node }
}

/** Finds the route of a path; undefined for an unknown path. */
export type Router = (path: string) => Route | undefined

/** Builds the router of all operations. */
export function routerOf(operations: readonly Operation[]): Router {
  const root = emptyNode()
  for (const operation of operations) nodeFor(root, operation.path).methods.set(operation.method, operation)
  return (path) => {
    const ids: Record<string, string> = {}
    let node: Node | undefined = root
    for (const segment of segmentsOf(path)) {
      const fixed: Node | undefined = node.fixed.get(segment)
      if (!fixed && node.parameter && segment !== '') ids[node.parameter.name] = decoded(segment)
      node = fixed ?? (segment === '' ? undefined : node.parameter?.node)
      if (!node) return undefined
    }
    return node.methods.size > 0 ? { methods: node.methods, ids } : undefined
  }
}

/** The operation of a route for a method, or the refusal that there is none, with `Allow`. HEAD is asked like GET. */
export function operationFor({ methods }: Route, method: string, path: string): Operation {
  const operation = methods.get(method === 'HEAD' ? 'GET' : method)
  if (operation) return operation
  const allowed = allowedMethods(methods)
  return refuse('method_not_allowed', { method, path, allowed }, {}, { Allow: allowed })
}

/** The methods of a path as a header lists them. */
export function allowedMethods(methods: Route['methods']): string {
  return [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function emptyNode(): Node {
  return { fixed: new Map(), methods: new Map() }
}

function nodeFor(root: Node, path: string): Node {
  let node = root
  for (const segment of segmentsOf(path)) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name) {
      node.parameter ??= { name, node: emptyNode() }
      node = node.parameter.node
    } else {
      const next = node.fixed.get(segment) ?? emptyNode()
      node.fixed.set(segment, next)
      node = next
    }
  }
  return node
}

function segmentsOf(path: string): string[] {
  return path.slice(1).split('/')
}

/** A segment without its percent encoding, or as it is where the encoding is broken. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
