import type { ASTNode } from '@marcbachmann/cel-js'
import { quote } from '../../../core/schema/text.ts'
import { ipBytes } from '../../x509/ip.ts'
import { formatProblem } from '../formats.ts'
import { addressOf, findInExpressions, literalOf, type Warning } from './warning.ts'

const TEXT_METHODS: ReadonlySet<string> = new Set(['matches', 'startsWith', 'endsWith', 'contains'])

export const rangeComparedAsText: Warning = {
  id: 'range-compared-as-text',
  about: 'An address is compared with a range as if both were strings.',
  reason:
    'An address is a string such as `203.0.113.9`, so it never equals a string with a slash. `inCidrRange` tests whether a range contains an address.',
  docs: 'https://ngrok.com/docs/traffic-policy/macros/#incidrrangeipcidr---bool',
  wrong: `on_http_request:
  - expressions: ["conn.client_ip in ['203.0.113.0/24']"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["inCidrRanges(conn.client_ip, ['203.0.113.0/24'])"]
    actions: [{ type: deny }]
`,
  find: (policy) =>
    findInExpressions(policy, 'conn.', (node) => {
      const [address, ranges] = readComparison(node)
      if (address === undefined || ranges.length === 0) return undefined
      const written = ranges.find((each) => node.input.includes(`'${each}'`)) ?? ranges[0] ?? ''
      const test =
        ranges.length > 1
          ? `inCidrRanges(${address}, [${ranges.map((each) => `'${each}'`).join(', ')}])`
          : `inCidrRange(${address}, '${ranges[0]}')`
      return {
        what: `compares ${address} to the range ${quote(written)} as strings, which are never equal`,
        hint: `Use ${node.op === '!=' ? '!' : ''}${test}.`,
      }
    }),
}

/** Returns the address in a comparison, and the ranges that it is compared with. */
function readComparison(node: ASTNode): readonly [address: string | undefined, ranges: readonly string[]] {
  if (node.op === '==' || node.op === '!=') {
    const [left, right] = node.args
    const address = addressOf(left)
    return address === undefined ? [addressOf(right), rangesIn(left)] : [address, rangesIn(right)]
  }
  if (node.op === 'in') return [addressOf(node.args[0]), rangesIn(node.args[1])]
  if (node.op === 'rcall' && TEXT_METHODS.has(node.args[0])) {
    return [addressOf(node.args[1]), rangesIn(node.args[2][0])]
  }
  if (node.op === 'call' && node.args[0] === 'matches') return [addressOf(node.args[1][0]), rangesIn(node.args[1][1])]
  return [undefined, []]
}

/** Returns the ranges among strings, with individual addresses as ranges. Returns an empty list if no string is a range. */
function rangesIn(node: ASTNode | undefined): readonly string[] {
  const literals = node?.op === 'list' ? node.args.map(literalOf) : [literalOf(node)]
  // A range in a pattern may contain escaped dots and anchors.
  const texts = literals.flatMap((each) => each?.replace(/\\|^\^|\$$/g, '') ?? [])
  return texts.some(isRange) ? texts.map(toRange).filter(isRange) : []
}

function isRange(text: string): boolean {
  return !formatProblem('cidr', text)
}

function toRange(text: string): string {
  const bytes = ipBytes(text)
  return bytes ? `${text}/${bytes.length * 8}` : text
}
