import type { ASTNode } from '@marcbachmann/cel-js'
import { walk } from '../expression.ts'
import type { PartOf } from './values.ts'

/**
 * A part of an expression that can determine a value: an operand of `||` or `&&`, a branch of `?:`, or a list item after `in` or in
 * `inCidrRanges`.
 */
export interface Part {
  readonly of: PartOf
  readonly node: ASTNode
}

/** Lists the parts of an expression that can determine a value, in order. */
export function listParts(tree: ASTNode): readonly Part[] {
  const parts: Part[] = []
  walk(tree, (node) => parts.push(...partsOf(node)))
  return parts.sort((a, b) => a.node.range.start - b.node.range.start)
}

/** Returns the parts of a node. A part with the same operator is split into its own parts, as in `a || b || c`. */
function partsOf(node: ASTNode): readonly Part[] {
  const toParts = (of: PartOf, nodes: readonly ASTNode[]) =>
    nodes.filter(({ op }) => op !== of).map((each) => ({ of, node: each }))
  switch (node.op) {
    case '||':
    case '&&':
      return toParts(node.op, node.args)
    case '?:':
      return toParts(node.op, node.args.slice(1))
    case 'in':
      return node.args[1].op === 'list' ? toParts(node.op, node.args[1].args) : []
    case 'call': {
      const [name, [, list]] = node.args
      return name === 'inCidrRanges' && list?.op === 'list' ? toParts('in', list.args) : []
    }
    default:
      return []
  }
}

/** Returns the key for part of a rule's expression. */
export function keyOfPart(rule: string | undefined, source: string, { range }: ASTNode): string {
  return `${rule} ${range.start}-${range.end} ${source}`
}
