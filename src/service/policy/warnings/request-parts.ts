import type { ASTNode } from '@marcbachmann/cel-js'
import { lookUp } from '../../../core/schema/values.ts'
import type { Variables } from '../action.ts'
import { mayLack, type Stored } from './stored.ts'
import {
  describe,
  FAILED,
  HOST,
  isThere,
  keyOf,
  LISTS,
  OPTIONAL,
  SENT,
  type Subject,
  sourceOf,
  Unknown,
  type Value,
  type VisitorKind,
} from './symbolic.ts'

type Facts = Omit<Subject, 'key' | 'test'>

/** The `basic-auth` result that states whether the request has credentials. */
export const PRESENTED = 'actions.ngrok.basic_auth.credentials.presented'
const AUTHORIZED = 'actions.ngrok.basic_auth.credentials.authorized'

/** A value whose key comes from its own map, in a macro. It always exists. */
const OWN_KEY = /^(.+)\[\1\[\*\]\]$/

/** Reads the parts of a request that a visitor may lack, such as headers, and records which parts conditions read. */
export class RequestParts {
  readonly subjects = new Map<string, Subject>()
  /** The test that reads these parts. */
  test: ASTNode | undefined

  constructor(
    readonly variables: Variables,
    readonly visitor?: VisitorKind,
    readonly subject?: Pick<Subject, 'key' | 'base'>,
    readonly stored?: Stored,
  ) {}

  /** Reads a variable that every request has. */
  variable(path: string): Value {
    if (path === PRESENTED) {
      this.#note(path, { source: 'credentials for basic-auth', guard: `!${path}`, name: "'credentials'" })
      return this.#has(path, path)
    }
    if (path === AUTHORIZED && this.subject?.key === PRESENTED) return this.visitor === 'right'
    return OPTIONAL.includes(path) ? this.#whole(path, path, `${path} == ''`, '', SENT) : new Unknown(path)
  }

  /** Reads a field or item of an owner. */
  item(node: ASTNode & { readonly op: '.' | '[]' }, owner: Unknown, name: Value): Value {
    const key = keyOf(owner, name)
    const source = sourceOf(node)
    if (Object.values(LISTS).includes(owner.key))
      return key === HOST
        ? new Unknown(key)
        : this.#read(key, { source, guard: `!has(${source})`, name: describe(name) }, true)
    const isListed = owner.key === HOST || OWN_KEY.test(owner.key) || this.subjects.get(owner.key)?.name !== undefined
    const [ownerNode] = node.args
    const isLacked = this.stored !== undefined && mayLack(node, this.stored)
    if (isListed || (!isLacked && isThere(node, ownerNode, name, this.variables))) return new Unknown(key)
    const size = `size(${sourceOf(ownerNode)})`
    const guard = typeof name === 'bigint' ? `${size} ${name === 0n ? '==' : '<='} ${name}` : `!has(${source})`
    return this.#read(key, { source, guard, base: owner.key.split('.split(')[0] ?? '' }, false)
  }

  /** Returns whether an owner has a field or item, or undefined if it cannot have any. */
  hasItem(owner: Unknown, name: Value): Value | undefined {
    const key = keyOf(owner, name)
    const isName = Object.values(LISTS).includes(owner.key)
    const source = `${owner.key}[${describe(name)}]`
    if (isName) this.#note(key, { source, guard: `!has(${source})`, name: describe(name), isTested: true })
    return isName || this.subject?.key === key ? this.#has(key) : undefined
  }

  /** Returns the value of a function that reads a header, cookie, or parameter, or undefined for all other functions. */
  call(node: ASTNode, name: string, args: readonly ASTNode[], first: Value | undefined): Value | undefined {
    const of = lookUp(LISTS, name.slice(3))
    if (of === undefined || first === undefined) return undefined
    const lower = typeof first === 'string' && of.endsWith('.headers') ? first.toLowerCase() : first
    const key = keyOf(new Unknown(of), lower)
    if (key === HOST) return name.startsWith('has') || new Unknown(key)
    const [isCookie, written] = [name.endsWith('Cookie'), `${name.slice(3)}(${args.map(sourceOf).join(', ')})`]
    const isFirst = !isCookie && node.input.startsWith('[0]', node.range.end)
    const facts = { source: `get${written}${isFirst ? '[0]' : ''}`, guard: `!has${written}`, name: describe(lower) }
    if (name.startsWith('has')) {
      this.#note(key, { ...facts, isTested: true })
      return this.#has(key)
    }
    const found = this.#read(key, facts, !isCookie)
    return found === FAILED && !isCookie ? [] : found
  }

  /** Returns the items of all headers, cookies, or parameters, or other values unchanged. */
  items(of: Value, test?: { readonly source: string; readonly guard: string }): Value {
    if (!(of instanceof Unknown) || !Object.values(LISTS).includes(of.key)) return of
    const { source, guard } = test ?? { source: of.key, guard: `size(${of.key}) == 0` }
    const items = this.#whole(`${of.key}[*]`, source, guard, [], [SENT])
    return items instanceof Unknown ? of : items
  }

  /**
   * Returns the number of items in a list that contains the item that the visitor has or lacks, or undefined if the policy does not
   * determine the number.
   */
  sizeOf(list: Unknown): bigint | undefined {
    const { key = '' } = this.subject ?? {}
    const at = key.startsWith(`${list.key}[`) ? /\[(\d+)\]$/.exec(key)?.[1] : undefined
    return at === undefined ? undefined : BigInt(at) + (this.visitor === 'without' ? 0n : 1n)
  }

  #has(key: string, otherwise = `has ${key}`): Value {
    return this.subject?.key === key ? this.visitor !== 'without' : new Unknown(otherwise)
  }

  /** Returns the value of part of a request that may be missing. */
  #read(key: string, facts: Facts, isList: boolean): Value {
    if (OWN_KEY.test(key)) return new Unknown(key)
    this.#note(key, facts)
    if (key !== this.subject?.key) return new Unknown(key)
    if (this.visitor === 'without') return FAILED
    return isList ? [SENT] : SENT
  }

  /** Returns a value that always exists and is empty if the request does not set it. */
  #whole(key: string, source: string, guard: string, empty: Value, sent: Value): Value {
    this.#note(key, { source, guard })
    return key !== this.subject?.key ? new Unknown(key) : this.visitor === 'without' ? empty : sent
  }

  #note(key: string, facts: Facts): void {
    const known = this.subjects.get(key)
    if (this.test && (!known || known.isTested)) this.subjects.set(key, { key, test: this.test, ...facts })
  }
}
