import type { ASTNode } from '@marcbachmann/cel-js'
import { isObject } from '../../../core/schema/values.ts'
import type { ReadAction, ReadRule } from './warning.ts'

/** The values that `set-vars` stores, by variable. A variable can be set several times. */
export type Stored = ReadonlyMap<string, readonly unknown[]>

/** Lists the values that `set-vars` actions store, each with its variable and its path in the policy. */
export function listStored(actions: readonly ReadAction[]) {
  return actions.flatMap(({ row, config, path }) => {
    if (row.type !== 'set-vars' || !Array.isArray(config.vars)) return []
    return config.vars.flatMap((each: unknown, at) =>
      Object.entries(isObject(each) ? each : {}).map(([name, value]) => {
        return { name, value, path: [...path, 'config', 'vars', at, name] }
      }),
    )
  })
}

/** Reads the values that the rules of a policy store. */
export function readStored(rules: readonly ReadRule[]): Stored {
  const stored = new Map<string, unknown[]>()
  for (const { name, value } of listStored(rules.flatMap(({ actions }) => actions)))
    stored.set(name, [...(stored.get(name) ?? []), value])
  return stored
}

/** Returns whether a field or item of a variable may be missing: its key is computed, or its value is not written in the policy. */
export function mayLack(node: ASTNode, stored: Stored): boolean {
  const keys: unknown[] = []
  let root = node
  while (root.op === '.' || root.op === '[]') {
    const [owner, key]: readonly [ASTNode, string | ASTNode] = root.args
    keys.unshift(typeof key === 'string' ? key : key.op === 'value' ? key.args : undefined)
    root = owner
  }
  const [name, ...below] = keys
  if (root.op !== 'id' || root.args !== 'vars' || typeof name !== 'string' || below.length === 0) return false
  const values = stored.get(name) ?? []
  return values.length === 0 || values.some((value) => !hasPath(value, below))
}

function hasPath(value: unknown, [key, ...others]: readonly unknown[]): boolean {
  if (key === undefined || !(isObject(value) || Array.isArray(value))) return false
  const name = String(key)
  return Object.hasOwn(value, name) && (others.length === 0 || hasPath(Reflect.get(value, name), others))
}
