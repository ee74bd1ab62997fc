import { cut } from '../../../core/schema/text.ts'
import { walk } from '../expression.ts'
import { createFind, findTest, readGuard, toKey } from './missing.ts'
import type { Finding, ReadPolicy, Warning } from './warning.ts'

export const missingValue: Warning = {
  id: 'missing-value',
  about: 'A condition that should be true without a value, such as a header, fails without it.',
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

function findMissing({ rules }: ReadPolicy): readonly Finding[] {
  const found: Finding[] = []
  // Each request has a host. An earlier rule may have ended the requests without another value.
  const guarded = ["'host'"]
  const find = createFind()
  for (const { conditions } of rules) {
    for (const { tree } of conditions) if (tree) walk(tree, (node) => guarded.push(...readGuard(node, find)))
    for (const { tree, problem, path, offset } of conditions) {
      const test = tree && !problem && findTest(tree, true, find)
      if (!test || guarded.some((each) => toKey(test.source).includes(each))) continue
      const { start, end } = test.node.range
      found.push({
        path,
        within: { offset: offset + start, length: end - start },
        what: `fails for a request without ${cut(test.source)}, so that its rule does not apply`,
        hint: `Write ${test.guard} || before it.`,
      })
    }
  }
  return found
}
