import type { ASTNode } from '@marcbachmann/cel-js'
import { quote } from '../../../core/schema/text.ts'
import { addressOf, findInExpressions, literalOf, type Warning } from './warning.ts'

export const addressPrefix: Warning = {
  id: 'address-prefix',
  about: 'An address prefix ends in the middle of a number.',
  reason:
    'Addresses are strings: `10.100.0.1` also begins with `10.1`. `inCidrRange` tests whether a range contains an address.',
  docs: 'https://ngrok.com/docs/traffic-policy/macros/#incidrrangeipcidr---bool',
  wrong: `on_http_request:
  - expressions: ["!conn.client_ip.startsWith('10.1')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["!inCidrRange(conn.client_ip, '10.1.0.0/16')"]
    actions: [{ type: deny }]
`,
  find: (policy) =>
    findInExpressions(policy, 'startsWith', (node) => {
      const [address, prefix] = readPrefix(node)
      const other = prefix === undefined ? undefined : extend(prefix)
      if (address === undefined || prefix === undefined || other === undefined) return undefined
      const hint =
        prefix.split('.').length === 4 ? `${address} == '${prefix}'` : `inCidrRange(${address}, '${toRange(prefix)}')`
      return {
        what: `tests whether ${address} begins with ${quote(prefix)}, which also matches addresses such as ${other}`,
        hint: `Use ${hint}.`,
      }
    }),
}

function readPrefix(node: ASTNode): readonly [address?: string | undefined, prefix?: string | undefined] {
  if (node.op !== 'rcall' || node.args[0] !== 'startsWith') return []
  return [addressOf(node.args[1]), literalOf(node.args[2][0])]
}

/**
 * Returns an address that begins with a prefix but has more digits in the prefix's last number, or undefined if that number is complete.
 */
function extend(prefix: string): string | undefined {
  const groups = prefix.split('.')
  const last = groups.at(-1) ?? ''
  const isV4 = groups.every((each) => /^\d{1,3}$/.test(each)) && groups.length <= 4
  // 25 can continue, up to 255, but 26 cannot.
  if (isV4 && last !== '0' && Number(`${last}0`) <= 255)
    return [...groups.slice(0, -1), `${last}0`, ...Array(4 - groups.length).fill('0')].join('.')
  const isV6 = /^[0-9a-f]{1,4}(?::[0-9a-f]{0,4})*$/i.test(prefix) && prefix.includes(':')
  return isV6 && /(?:^|:)[1-9a-f][0-9a-f]{0,2}$/i.test(prefix) ? `${prefix}0::1` : undefined
}

function toRange(prefix: string): string {
  const isV6 = prefix.includes(':')
  const groups = prefix.split(isV6 ? ':' : '.')
  if (!isV6) return `${[...groups, ...Array(4 - groups.length).fill('0')].join('.')}/${groups.length * 8}`
  return `${prefix}::/${groups.length * 16}`
}
