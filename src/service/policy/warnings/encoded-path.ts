import { cut } from '../../../core/schema/text.ts'
import { pathOfNode } from '../expression.ts'
import { listTestsOf } from './cases.ts'
import { checkOf, isDenial } from './holes.ts'
import { readTextTest } from './never-equal.ts'
import { sourceOf } from './symbolic.ts'
import type { Finding, Warning } from './warning.ts'

export const encodedPath: Warning = {
  id: 'encoded-path',
  about: 'A rule that denies or checks requests compares a path that is not decoded.',
  reason: 'A client can encode any letter of a path: `/%61dmin` is `/admin`. `req.url.path` is decoded.',
  docs: 'https://ngrok.com/docs/traffic-policy/variables/req/#requrlraw-path',
  wrong: `on_http_request:
  - expressions: ["req.url.raw_path.startsWith('/admin')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["req.url.path.startsWith('/admin')"]
    actions: [{ type: deny }]
`,
  find: ({ rules }) =>
    rules
      .filter((rule) => isDenial(rule) || checkOf(rule) !== undefined)
      .flatMap((rule) =>
        listTestsOf(rule).flatMap(({ node, isNegated, place }): readonly Finding[] => {
          const { subject, texts = [] } = readTextTest(node) ?? {}
          const isRaw = subject && /^req\.url\.(?:raw_path|uri)$/.test(pathOfNode(subject) ?? '')
          // A test for escapes needs the raw path.
          if (!isRaw || isNegated || node.op === '!=' || !texts.some((each) => /^\/[\w/.-]*$/.test(each))) return []
          const what = `tests ${cut(sourceOf(node))}, which is false if the client encodes a letter of the path`
          return [{ ...place, what, hint: 'Use req.url.path, which is decoded.' }]
        }),
      ),
}
