import type { ASTNode } from '@marcbachmann/cel-js'
import type { Variables } from '../action.ts'
import { findBelow } from '../environment.ts'
import { pathOfNode } from '../expression.ts'

/** A value that the policy does not tell. The same key is the same value. */
export class Unknown {
  constructor(readonly key: string) {}
}

export const FAILED: unique symbol = Symbol('failed')
/** The value of the visitor, and what is made of it. */
export const SENT: unique symbol = Symbol('sent')
export type Value = string | bigint | boolean | Unknown | typeof FAILED | typeof SENT | readonly Value[]

/** The lists of values that functions read, by the ends of their names. */
export const LISTS: Readonly<Record<string, string>> = {
  ReqHeader: 'req.headers',
  ResHeader: 'res.headers',
  QueryParam: 'req.url.query_params',
  ReqCookie: 'req.cookies',
  ResCookie: 'res.cookies',
}
/** Each request has a host. */
export const HOST = 'req.headers.host'
export const MACROS: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map', 'sortBy']
export const TEXT_TESTS: readonly string[] = ['contains', 'endsWith', 'matches', 'startsWith']
/** The functions that fail for some texts. */
export const PARTIAL: readonly string[] = [
  'base64.decode',
  'bool',
  'decodeBase64',
  'decodeJson',
  'double',
  'duration',
  'int',
  'json.decode',
  'timestamp',
  'uint',
]

export function toValue(truth: boolean | undefined): Value {
  return truth ?? FAILED
}

export function fail(values: readonly Value[]): Value {
  return values.includes(FAILED) ? FAILED : values
}

export function isSent(value: Value): boolean {
  return value === SENT || (Array.isArray(value) && value.some(isSent))
}

export function isTold(value: Value): boolean {
  return Array.isArray(value) ? value.every(isTold) : !(value instanceof Unknown)
}

export function describe(value: Value): string {
  if (value instanceof Unknown) return value.key
  if (Array.isArray(value)) return `[${value.map(describe).join()}]`
  return typeof value === 'string' ? `'${value}'` : String(value)
}

export function keyOf(owner: Unknown, name: Value): string {
  return typeof name === 'string' && /^[a-z_]\w*$/i.test(name)
    ? `${owner.key}.${name}`
    : `${owner.key}[${describe(name)}]`
}

export function sourceOf({ input, range }: ASTNode): string {
  return input.slice(range.start, range.end)
}

/** Returns whether a field or an item is always there, if its owner is. */
export function isThere(node: ASTNode, owner: ASTNode, key: Value, variables: Variables): boolean {
  const path = pathOfNode(node)
  const of = path ?? pathOfNode(owner)
  // A field of an item, such as the value of a cookie, is there. Results of actions are lists with an item.
  if (of === undefined ? node.op === '.' && owner.op === '[]' : /^(?:vars|actions)\b/.test(of)) return true
  let root = node
  while (root.op === '.' || root.op === '[]') root = root.args[0]
  // So is an item of a macro.
  if (root.op === 'id' && !Object.hasOwn(variables, root.args)) return true
  if (findBelow(variables, path?.split('.') ?? ['']) !== undefined) return true
  // A text has one part at least, and a path begins with a slash.
  const parts = /^req\.url\.path\.split\(['"]\/['"]\)$/.test(sourceOf(owner)) ? 2 : 1
  return owner.op === 'rcall' && owner.args[0] === 'split' && typeof key === 'bigint' && key < parts
}
