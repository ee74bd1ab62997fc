import type { ASTNode } from '@marcbachmann/cel-js'
import { cut } from '../../../core/schema/text.ts'
import { walk } from '../expression.ts'
import { createFind, findTest, readGuard, toKey } from './missing.ts'
import type { Finding, ReadPolicy, ReadRule, Warning } from './warning.ts'

export const missingValuePasses: Warning = {
  id: 'missing-value-passes',
  about: 'A rule denies requests with a wrong token, and requests without one pass.',
  reason:
    'A rule applies only if all of its conditions are true. `hasReqHeader` is false for a request without the header, which anyone can leave out.',
  docs: 'https://ngrok.com/docs/traffic-policy/macros/#hasreqheaderstring---bool',
  wrong: `on_http_request:
  - expressions: ["hasReqHeader('x-token') && getReqHeader('x-token')[0] != 'secret'"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["!hasReqHeader('x-token') || getReqHeader('x-token')[0] != 'secret'"]
    actions: [{ type: deny }]
`,
  find: findPassing,
}

/** The names of values that only those may have who are let in. Others, such as `origin`, are right to be left out. */
const CREDENTIAL = /auth|token|secret|key|password|passwd|credential|signature/i
/** The checks that let nobody in who has no credentials of theirs. */
const CHECKS = ['basic-auth', 'jwt-validation', 'oauth', 'openid-connect', 'saml', 'verify-webhook']

function findPassing({ rules, actions }: ReadPolicy): readonly Finding[] {
  if (actions.some(({ row }) => CHECKS.includes(row.type))) return []
  const find = createFind()
  return rules.filter(isDenial).flatMap((rule) => {
    const parts = rule.conditions.flatMap((each) => (each.tree && !each.problem ? listParts(each.tree) : []))
    const present = parts.flatMap((part) => readGuard(readPresence(part), find))
    const others = rules.filter((each) => each !== rule).flatMap(({ conditions }) => conditions)
    return rule.conditions.flatMap(({ tree, problem, path, offset }) => {
      const test = tree && !problem ? listParts(tree).flatMap((part) => findTest(part, true, find) ?? [])[0] : undefined
      const key = test && present.find((each) => toKey(test.source).includes(each))
      if (!test || key === undefined || !isCredential(test.node, key)) return []
      // Another rule may be for the requests without the value.
      if (others.some(({ source }) => toKey(source).includes(key))) return []
      const { start, end } = test.node.range
      return {
        path,
        within: { offset: offset + start, length: end - start },
        what: `denies requests with a wrong value, and lets those without ${cut(test.source)} pass`,
        hint: `Write ${test.guard} || before it, without the test that the value is there.`,
      }
    })
  })
}

function isDenial({ actions }: ReadRule): boolean {
  return actions.some(({ row, config }) => {
    const { status_code: status } = config
    const isError = row.type === 'custom-response' && typeof status === 'number' && status >= 400 && status < 500
    return isError || row.type === 'deny' || row.type === 'close-connection'
  })
}

/** Returns the tests of a condition that all must be true. */
function listParts(node: ASTNode): readonly ASTNode[] {
  return node.op === '&&' ? node.args.flatMap(listParts) : [node]
}

/** Returns the size of a test that there is one, such as `size(a) > 0`; the node itself if it is no such test. */
function readPresence(node: ASTNode): ASTNode {
  if (node.op !== '>' && node.op !== '!=') return node
  const [size, none] = node.args
  return none.op === 'value' && none.args === 0n ? size : node
}

/** Returns whether the value of a test is a credential, by its name or because it is compared with a secret. */
function isCredential(test: ASTNode, name: string): boolean {
  let isSecret = CREDENTIAL.test(name)
  walk(test, (node) => {
    if (node.op === 'rcall' && node.args[0] === 'get' && node.args[1].op === 'id' && node.args[1].args === 'secrets')
      isSecret = true
  })
  return isSecret
}
