import type { ASTNode } from '@marcbachmann/cel-js'
import { cut, quote } from '../../../core/schema/text.ts'
import { listTests } from './cases.ts'
import { checkOf, isDenial } from './holes.ts'
import { sourceOf } from './symbolic.ts'
import { type Finding, literalOf, type Warning } from './warning.ts'

export const emailPart: Warning = {
  id: 'email-part',
  about: 'An email address is tested for a part that other addresses can also contain.',
  reason:
    '`someone@notexample.com` ends with `example.com`, and `someone@example.com.evil.test` contains `@example.com`. Only `@example.com` at the end is the domain.',
  docs: 'https://ngrok.com/docs/traffic-policy/examples/oauth-protection/',
  wrong: `on_http_request:
  - actions: [{ type: oauth, config: { provider: google } }]
  - expressions: ["!actions.ngrok.oauth.identity.email.endsWith('example.com')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - actions: [{ type: oauth, config: { provider: google } }]
  - expressions: ["!actions.ngrok.oauth.identity.email.endsWith('@example.com')"]
    actions: [{ type: deny }]
`,
  find: ({ rules }) =>
    rules.flatMap((rule) => {
      // A denial of more people than meant lets nobody in.
      const isNegated = isDenial(rule) || checkOf(rule) !== undefined
      return rule.conditions.flatMap(({ tree, problem, path, offset }) =>
        (tree && !problem ? listTests(tree) : []).flatMap((each): Finding | readonly Finding[] => {
          const [email, test, part] = readTest(each.node)
          if (each.isNegated !== isNegated || email === undefined || part === undefined || isWhole(test, part))
            return []
          const { start, end } = each.node.range
          const right = part.replace(/^(?!\.|.*@)/, '@')
          const isOne = right.lastIndexOf('@') > 0
          return {
            path,
            within: { offset: offset + start, length: end - start },
            what: `tests whether ${cut(email)} ${VERBS[test ?? ''] ?? 'ends with'} ${quote(part)}, which is true of other addresses too`,
            hint:
              test === 'matches'
                ? PATTERN_HINT
                : isOne
                  ? `Use ${cut(email)} == '${part}'.`
                  : `Use ${cut(email)}.endsWith('${right}').`,
          }
        }),
      )
    }),
}

const VERBS: Readonly<Record<string, string>> = { contains: 'contains', matches: 'matches' }
const PATTERN_HINT = 'Begin the domain with @, and end the pattern with $.'

/** Returns the address that a node tests, the name of the test, and the tested part. */
function readTest(node: ASTNode): readonly [email?: string, test?: string, part?: string | undefined] {
  if (node.op !== 'rcall' || !['endsWith', 'contains', 'matches'].includes(node.args[0])) return []
  const email = sourceOf(node.args[1])
  const isEmail = /^actions\.ngrok\.[\w.[\]]+\.email(?:\.lower(?:Ascii)?\(\))?$/.test(email)
  return isEmail ? [email, node.args[0], literalOf(node.args[2][0])] : []
}

/** Returns whether only addresses in a domain or its subdomains end with a part. A part without a dot is not a domain. */
function isWhole(test: string | undefined, part: string): boolean {
  // A pattern may test only the name before the domain.
  if (test === 'matches') return !/\.[a-z]/i.test(part) || (/@/.test(part) && /\$\)*$/.test(part))
  return !part.includes('.') || (test === 'endsWith' && /^[@.]/.test(part))
}
