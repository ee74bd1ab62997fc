import type { ASTNode } from '@marcbachmann/cel-js'
import { quote } from '../../../core/schema/text.ts'
import { pathOfNode } from '../expression.ts'
import { findInExpressions, literalOf, type Warning } from './warning.ts'

export const headerWithCapitals: Warning = {
  id: 'header-with-capitals',
  about: 'A header is looked up in `req.headers` or `res.headers` by a capitalized name.',
  reason: '`req.headers` and `res.headers` contain header names in lowercase.',
  docs: 'https://ngrok.com/docs/traffic-policy/variables/req/#reqheaders',
  wrong: `on_http_request:
  - expressions: ["'X-Api-Key' in req.headers"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["'x-api-key' in req.headers"]
    actions: [{ type: deny }]
`,
  find: (policy) =>
    findInExpressions(policy, 'headers', (node) => {
      const [headers, name] = readLookup(node)
      if (headers === undefined || name === undefined || name === name.toLowerCase()) return undefined
      const better = node.op === 'in' ? `'${name.toLowerCase()}' in ${headers}` : `${headers}['${name.toLowerCase()}']`
      return {
        what: `looks for the header ${quote(name)} in ${headers}, which contains lowercase names`,
        hint: `Use ${better}.`,
      }
    }),
}

/** Returns the map and the name of a header lookup. */
function readLookup(node: ASTNode): readonly [headers?: string | undefined, name?: string | undefined] {
  if (node.op === 'in') return [headersOf(node.args[1]), literalOf(node.args[0])]
  if (node.op === '[]') return [headersOf(node.args[0]), literalOf(node.args[1])]
  // `req.headers.exists(name, name == 'X-A')`
  const [, headers, [variable, test]] = node.op === 'rcall' ? node.args : [undefined, undefined, []]
  if (!headers || variable?.op !== 'id' || test?.op !== '==') return []
  const names = test.args.some((each) => each.op === 'id' && each.args === variable.args)
  return names ? [headersOf(headers), test.args.map(literalOf).find((text) => text !== undefined)] : []
}

function headersOf(node: ASTNode): string | undefined {
  const path = pathOfNode(node)
  return path !== undefined && /^re[qs]\.(headers|trailers)$/.test(path) ? path : undefined
}
