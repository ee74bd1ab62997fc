import type { ASTNode } from '@marcbachmann/cel-js'
import { cut, quote } from '../../../core/schema/text.ts'
import { listTestsOf } from './cases.ts'
import { checkOf, isDenial } from './holes.ts'
import { sourceOf } from './symbolic.ts'
import { type Finding, literalOf, type Warning } from './warning.ts'

export const emailPart: Warning = {
  id: 'email-part',
  about: 'An email address is tested for a part that other addresses can also contain.',
  reason:
    '`someone@notexample.com` ends with `example.com`, and `someone@example.com.evil.test` contains `@example.com`. Only `@example.com` at the end identifies the domain.',
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
      // Denying more people than intended does not let anyone in.
      const isExpected = isDenial(rule) || checkOf(rule) !== undefined
      return listTestsOf(rule).flatMap(({ node, isNegated, place }): readonly Finding[] => {
        const [email = '', test = '', part] = readEmailTest(node)
        if (isNegated !== isExpected || part === undefined || isWhole(test, part)) return []
        const verb = test === 'endsWith' ? 'ends with' : test
        const what = `tests whether ${cut(email)} ${verb} ${quote(part)}, which is true of other addresses too`
        return [{ ...place, what, hint: test === 'matches' ? PATTERN_HINT : suggest(email, part) }]
      })
    }),
}

function suggest(email: string, part: string): string {
  const right = part.replace(/^(?!\.|.*@)/, '@')
  return right.lastIndexOf('@') > 0 ? `Use ${cut(email)} == '${part}'.` : `Use ${cut(email)}.endsWith('${right}').`
}

const PATTERN_HINT = 'Begin the domain with @, and end the pattern with $.'

/** Returns the address that a node tests, the name of the test, and the tested part. */
function readEmailTest(node: ASTNode): readonly [email?: string, test?: string, part?: string | undefined] {
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
