import type { PathIds } from '../../core/operation/operation.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { listNames, nearest } from '../../core/schema/nearest.ts'
import { quote, quoteWord } from '../../core/schema/text.ts'
import { itemAt } from '../../core/schema/values.ts'
import { describeNgrokOnly, findNgrokPath } from '../../service/resources/ngrok-paths.ts'

/** The part of an operation or a control call that a router needs. */
interface Routed {
  readonly method: string
  readonly path: string
}

export interface Route<O extends Routed> {
  readonly methods: ReadonlyMap<string, O>
  readonly ids: PathIds
}

interface Node<O> {
  readonly fixed: Map<string, Node<O>>
  readonly methods: Map<string, O>
  /** The names of the IDs in the path that ends here. */
  names: readonly string[]
  parameter?: { readonly name: string; readonly node: Node<O> }
}

export interface Router<O extends Routed> {
  find(path: string): Route<O> | undefined
  /** Returns the route for a path. For an unknown path, throws an error that names the first unknown segment. */
  require(path: string, method: string): Route<O>
}

export function createRouter<O extends Routed>(operations: readonly O[]): Router<O> {
  const root = createNode<O>()
  for (const operation of operations) addNode(root, operation.path).methods.set(operation.method, operation)
  const find = (path: string) => {
    const values: string[] = []
    let node = root
    for (let start = 1, end = start; end !== -1; start = end + 1) {
      end = path.indexOf('/', start)
      const segment = end === -1 ? path.slice(start) : path.slice(start, end)
      const { fixed, parameter }: Node<O> = node
      // Most nodes have only a parameter; these need no lookup.
      const next = fixed.size > 0 ? fixed.get(segment) : undefined
      if (next) {
        node = next
      } else if (parameter && segment !== '') {
        values.push(decodeSegment(segment))
        node = parameter.node
      } else {
        return undefined
      }
    }
    return node.methods.size > 0 ? { methods: node.methods, ids: nameIds(node.names, values) } : undefined
  }
  return {
    find,
    require: (path, method) =>
      find(path) ??
      refuse(general.path_not_found, {
        method: quoteWord(method),
        path: quote(path),
        problem: describePrefix(root, path, find) ?? describeProblem(root, path, describeElsewhere(path, find)),
      }),
  }
}

function nameIds(names: readonly string[], values: readonly string[]): PathIds {
  const ids: Record<string, string> = {}
  for (let index = 0; index < names.length; index++) ids[itemAt(names, index)] = itemAt(values, index)
  return ids
}

function findChild<O>(node: Node<O>, segment: string): Node<O> | undefined {
  return node.fixed.get(segment) ?? (segment === '' ? undefined : node.parameter?.node)
}

function describeElsewhere(path: string, find: (path: string) => unknown): string | undefined {
  const start = findNgrokPath(path, (each) => find(each) !== undefined)
  return start && describeNgrokOnly(start)
}

/** Describes an unknown path that is a known one after its first segment, as with a base URL that ends in `/api`. */
function describePrefix<O>(root: Node<O>, path: string, find: (path: string) => unknown): string | undefined {
  const end = path.indexOf('/', 1)
  const isKnown = end > 0 && !findChild(root, path.slice(1, end)) && find(path.slice(end)) !== undefined
  if (!isKnown) return undefined
  return `${quote(path.slice(end))} is a path of this API. Remove ${quote(path.slice(0, end))} in front of it.`
}

/** Describes why a path is unknown. `elsewhere` states where it exists, unless a similar segment was probably meant. */
function describeProblem<O>(root: Node<O>, path: string, elsewhere: string | undefined): string {
  let node = root
  for (const segment of splitPath(path)) {
    const next = findChild(node, segment)
    if (!next) {
      const similar = nearest(segment, node.fixed.keys())
      if (elsewhere && !similar) return elsewhere
      const what = segment === '' ? 'An empty segment' : `The segment ${quote(segment)}`
      return `${what} is unknown. ${similar ? `Did you mean ${similar}?` : describeChildren(node, segment)}`
    }
    node = next
  }
  return elsewhere ?? `The path is incomplete. ${describeChildren(node)}`
}

function describeChildren<O>({ fixed, parameter }: Node<O>, segment = ''): string {
  const names = [...fixed.keys(), ...(parameter ? [`{${parameter.name}}`] : [])]
  return names.length === 0 ? 'There are no paths under it.' : `Allowed there: ${listNames(segment, names)}.`
}

/** Returns a route's operation for a method, or undefined if there is none. HEAD counts as GET. */
export function findOperation<O extends Routed>(route: Route<O> | undefined, method: string): O | undefined {
  return route?.methods.get(method === 'HEAD' ? 'GET' : method)
}

/** Returns a route's operation for a method. For a method that the route doesn't support, throws an error with an `Allow` header. */
export function requireOperation<O extends Routed>(route: Route<O>, method: string, path: string): O {
  const operation = findOperation(route, method)
  if (operation) return operation
  const allowed = listAllowedMethods(route.methods)
  return refuse(
    general.method_not_allowed,
    { method: quoteWord(method), path: quoteWord(path), allowed },
    {},
    { Allow: allowed },
  )
}

/** Throws the same error as a request for an operation that isn't in a router. */
export function requireKnownOperation<O extends Routed>(router: Router<O>, { method, path }: O, ids: PathIds): void {
  const sent = path.replace(/\{(\w+)\}/g, (_, name) => String(ids[name]))
  requireOperation(router.require(sent, method), method, sent)
}

export function listAllowedMethods(methods: ReadonlyMap<string, unknown>): string {
  return [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function createNode<O>(): Node<O> {
  return { fixed: new Map(), methods: new Map(), names: [] }
}

function addNode<O>(root: Node<O>, path: string): Node<O> {
  let node = root
  const names: string[] = []
  for (const segment of splitPath(path)) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name) {
      names.push(name)
      node.parameter ??= { name, node: createNode() }
      node = node.parameter.node
    } else {
      const next = node.fixed.get(segment) ?? createNode<O>()
      node.fixed.set(segment, next)
      node = next
    }
  }
  node.names = names
  return node
}

function splitPath(path: string): string[] {
  return path.slice(1).split('/')
}

/** Decodes the percent encoding of a segment. Returns a malformed segment unchanged. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
