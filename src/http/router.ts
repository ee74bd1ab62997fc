import { refuse } from '../contract/errors.ts'
import type { PathIds } from '../contract/operation.ts'

/** What a router knows of an operation. */
interface Routed {
  readonly method: string
  readonly path: string
}

/** The operations of one path, by method. */
export interface Route<O extends Routed> {
  readonly methods: ReadonlyMap<string, O>
  readonly ids: PathIds
}

interface Node<O> {
  readonly fixed: Map<string, Node<O>>
  readonly methods: Map<string, O>
  parameter?: { readonly name: string; readonly node: Node<O> }
}

/** Finds the route of a path; undefined for an unknown path. */
export type Router<O extends Routed> = (path: string) => Route<O> | undefined

/** Builds the router of all operations. */
export function routerOf<O extends Routed>(operations: readonly O[]): Router<O> {
  const root = emptyNode<O>()
  for (const operation of operations) nodeFor(root, operation.path).methods.set(operation.method, operation)
  return (path) => {
    const ids: Record<string, string> = {}
    let node: Node<O> | undefined = root
    for (const segment of segmentsOf(path)) {
      const fixed: Node<O> | undefined = node.fixed.get(segment)
      if (!fixed && node.parameter && segment !== '') ids[node.parameter.name] = decoded(segment)
      node = fixed ?? (segment === '' ? undefined : node.parameter?.node)
      if (!node) return undefined
    }
    return node.methods.size > 0 ? { methods: node.methods, ids } : undefined
  }
}

/** The operation of a route for a method, or the refusal that there is none, with `Allow`. HEAD is asked like GET. */
export function operationFor<O extends Routed>({ methods }: Route<O>, method: string, path: string): O {
  const operation = methods.get(method === 'HEAD' ? 'GET' : method)
  if (operation) return operation
  const allowed = allowedMethods(methods)
  return refuse('method_not_allowed', { method, path, allowed }, {}, { Allow: allowed })
}

/** The methods of a path as a header lists them. */
export function allowedMethods(methods: ReadonlyMap<string, unknown>): string {
  return [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function emptyNode<O>(): Node<O> {
  return { fixed: new Map(), methods: new Map() }
}

function nodeFor<O>(root: Node<O>, path: string): Node<O> {
  let node = root
  for (const segment of segmentsOf(path)) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name) {
      node.parameter ??= { name, node: emptyNode() }
      node = node.parameter.node
    } else {
      const next = node.fixed.get(segment) ?? emptyNode<O>()
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
