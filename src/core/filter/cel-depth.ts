import type { ASTNode } from '@marcbachmann/cel-js'

/**
 * The deepest nesting, as in Google's parser for Go. Without a limit, the depth that works would depend on the stack, and on
 * whether the code was optimized.
 */
const MAX_DEPTH = 250
/** The most operands of a chain of `&&` or of `||`, which is no nesting. The check of its types is recursive all the same. */
const MAX_OPERANDS = 1000

/** An expression that is beyond a limit, in the form of the CEL library's errors. */
class LimitError extends Error {
  readonly code = 'limit_exceeded'

  constructor(
    readonly summary: string,
    readonly range: { readonly start: number; readonly end: number },
  ) {
    super(summary)
  }
}

/** Parses an expression with a limit of its nesting. @throws ParseError */
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

/** Returns the limit that a tree exceeds, in the words of the CEL library, or undefined if there is none. Does not recurse. */
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

/** Returns the nodes right below a node. */
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
