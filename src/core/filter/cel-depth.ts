import type { ASTNode } from '@marcbachmann/cel-js'

/**
 * The maximum nesting depth, as in Google's parser for Go. Without it, the limit would depend on the stack size and on whether the code was
 * optimized.
 */
const MAX_DEPTH = 250
/** The maximum number of operands in a chain of `&&` or `||`. A chain isn't nested, but its type check is still recursive. */
const MAX_OPERANDS = 1000

/** Thrown for an expression that exceeds a limit, in the form of the CEL library's errors. */
class LimitError extends Error {
  readonly code = 'limit_exceeded'

  constructor(
    readonly summary: string,
    readonly range: { readonly start: number; readonly end: number },
  ) {
    super(summary)
  }
}

/** Parses an expression and limits its nesting. @throws ParseError */
export function parseWithinDepth<T>(source: string, parse: (source: string) => T, treeOf: (parsed: T) => ASTNode): T {
  const whole = { start: 0, end: source.length }
  try {
    const parsed = parse(source)
    const exceeded = findExceeded(treeOf(parsed))
    if (exceeded !== undefined) throw new LimitError(exceeded, whole)
    return parsed
  } catch (error) {
    // The parser is recursive for `!` and `-`, without a limit.
    throw error instanceof RangeError ? new LimitError(`Exceeded maxDepth (${MAX_DEPTH})`, whole) : error
  }
}

/** Describes the limit that a tree exceeds in the CEL library's words, or returns undefined. Doesn't recurse. */
function findExceeded(root: ASTNode): string | undefined {
  const waiting = [{ node: root, depth: 1, operands: 2 }]
  // One operator has two operands.
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, depth, operands } = next
    if (depth > MAX_DEPTH) return `Exceeded maxDepth (${MAX_DEPTH})`
    if (operands > MAX_OPERANDS) return `Exceeded maxOperands (${MAX_OPERANDS})`
    const isChain = node.op === '&&' || node.op === '||'
    for (const [at, child] of listChildren(node).entries()) {
      const isLink = isChain && at === 0 && child.op === node.op
      waiting.push({ node: child, depth: isLink ? depth : depth + 1, operands: isLink ? operands + 1 : 2 })
    }
  }
  return undefined
}

/** Returns the direct children of a node. */
export function listChildren(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return []
    case '.':
    case '.?':
      return [node.args[0]]
    case '!_':
    case '-_':
      return [node.args]
    case 'call':
      return node.args[1]
    case 'rcall':
      return [node.args[1], ...node.args[2]]
    case 'map':
      return node.args.flat()
    default:
      return node.args
  }
}
