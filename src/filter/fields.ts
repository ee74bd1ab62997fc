import type { ASTNode } from '@marcbachmann/cel-js'
import { mistyped, type Part, type Term } from './part.ts'
import { misplaced, VALUES } from './syntax.ts'
import { named, type Type, typeOf } from './types.ts'

/** `obj`, or a path into it, which the listed items must have. */
export function field(node: ASTNode, item: Type): Part {
  const names: string[] = []
  let root = node
  for (; root.op === '.'; root = root.args[0]) names.unshift(root.args[1])
  if (root.op !== 'id') return misplaced(node, 'a field of no item', VALUES)
  if (root.args === 'time') return misplaced(node, undefined, 'timestamp(time.now)')
  if (root.args !== 'obj') return misplaced(node, 'an unknown name', below('obj', item))
  let [type, path] = [item, 'obj']
  for (const name of names) {
    type = fieldOf(node, type, path, name)
    path = `${path}.${name}`
  }
  return { node, type, term: termOf(names), path }
}

function fieldOf(node: ASTNode, type: Type, path: string, name: string): Type {
  if (type.kind === 'map') return type.value
  if (type.kind !== 'object') return misplaced(node, `a field of ${named(type)}`, path)
  const { fields, nullable } = type
  if (!Object.hasOwn(fields, name)) return misplaced(node, 'an unknown field', below(path, type))
  return typeOf(fields[name] as (typeof fields)[string], nullable) // Its own name.
}

/** Whether a part is compared as a whole, as objects and maps are not. */
export function isWhole({ type: { kind } }: Part): boolean {
  return kind !== 'object' && kind !== 'map'
}

/** Refuses an object or a map, which are always fields, in favour of what it holds. */
export function requireWhole(part: Part): void {
  if (!isWhole(part)) mistyped(part, below(part.path as string, part.type)) // A field has a path.
}

function below(path: string, type: Type): string {
  if (type.kind !== 'object') return `one of its values: ${path}.…`
  const paths = Object.keys(type.fields).map((name) => `${path}.${name}`)
  return paths.join(', ') || path
}

function termOf(names: readonly string[]): Term {
  return (obj) => {
    let value: unknown = obj
    for (const name of names) value = ownOf(value as Record<string, unknown> | null, name) // Only an object has names below it.
    return value
  }
}

function ownOf(object: Record<string, unknown> | null, name: string): unknown {
  return object !== null && Object.hasOwn(object, name) ? object[name] : null
}
