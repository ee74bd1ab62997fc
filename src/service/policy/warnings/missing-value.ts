import type { ASTNode } from '@marcbachmann/cel-js'
import { cut } from '../../../core/schema/text.ts'
import { placeOf } from './holes.ts'
import { pageOf } from './pages.ts'
import type { Finding, Hole, ReadPolicy, Warning } from './warning.ts'

export const missingValue: Warning = {
  id: 'missing-value',
  about: 'A condition that should be true if a value, such as a header, is missing fails instead.',
  reason:
    '`getReqHeader` returns an empty list if there is no such header, and an empty list has no first item. A rule whose condition fails does not apply.',
  docs: 'https://ngrok.com/docs/traffic-policy/macros/#getreqheaderstring---list',
  wrong: `on_http_request:
  - expressions: ["getReqHeader('x-token')[0] != 'secret'"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["!hasReqHeader('x-token') || getReqHeader('x-token')[0] != 'secret'"]
    actions: [{ type: deny }]
`,
  find: findMissing,
}

/** Finds one value for each condition. */
function findMissing(policy: ReadPolicy): readonly Finding[] {
  const first = new Map<ASTNode, Hole>()
  for (const hole of policy.holes()) {
    const { tree } = hole.rule.conditions.find(({ source }) => source === hole.subject.test.input) ?? {}
    if (tree && hole.fails && !first.has(tree)) first.set(tree, hole)
  }
  return [...first.values()].map((hole) => ({
    ...placeOf(hole),
    docs: pageOf(hole.subject, 'get'),
    what: `fails for a request without ${cut(hole.subject.source)}, so the rule is skipped`,
    hint: `Write ${hole.subject.guard} || before it.`,
  }))
}
