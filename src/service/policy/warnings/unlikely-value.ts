import { quote } from '../../../core/schema/text.ts'
import { isObject } from '../../../core/schema/values.ts'
import type { Config } from '../action.ts'
import { readDuration } from '../time.ts'
import { type Finding, isWithin, type Warning } from './warning.ts'

export const unlikelyValue: Warning = {
  id: 'unlikely-value',
  about: 'A value is allowed but has no effect, such as replacing text with itself.',
  reason:
    'An action does exactly what its fields say: an empty pattern matches everywhere, and a session ends after its maximum duration.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/url-rewrite/',
  wrong: `on_http_request:
  - actions: [{ type: url-rewrite, config: { from: /app/, to: /app/ } }]
`,
  right: `on_http_request:
  - actions: [{ type: url-rewrite, config: { from: /app/, to: /v2/app/ } }]
`,
  find: ({ actions, problems }) =>
    actions.flatMap(({ row, config, path }) => {
      // Errors must be fixed first: the intended value may make sense of the other values.
      if (problems.some((each) => isWithin(each.path, path))) return []
      const docs = `https://ngrok.com/docs/traffic-policy/actions/${row.page}/`
      return CHECKS.flatMap((find) => find(config)).map((each) => ({
        ...each,
        path: [...path, 'config', ...each.path],
        docs,
      }))
    }),
}

const CHECKS: readonly ((config: Config) => readonly Finding[])[] = [
  findReplacements,
  findLongTimeouts,
  findOtherAuthorities,
]

function findReplacements(config: Config): readonly Finding[] {
  const list = listOf(config.replacements).map((each, at) => [each, ['replacements', at]] as const)
  return [[config, []] as const, ...list].flatMap(([each, path]): readonly Finding[] => {
    const { from, to } = isObject(each) ? each : {}
    if (from === '') {
      const hint = 'Write the pattern of the text to replace.'
      return [{ path: [...path, 'from'], what: 'is empty, which matches between all characters', hint }]
    }
    const isSame = typeof from === 'string' && /^[\w /-]+$/.test(from) && from === to
    if (!isSame) return []
    return [
      { path: [...path, 'to'], what: `is ${quote(to)}, the text that it replaces`, hint: 'Change one of the two.' },
    ]
  })
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function findLongTimeouts({ idle_session_timeout: idle, max_session_duration: max }: Config): readonly Finding[] {
  const [idleMs, maxMs] = [idle, max].map((each) => (typeof each === 'string' ? (readDuration(each) ?? 0) : 0))
  if (!idleMs || !maxMs || idleMs <= maxMs) return []
  const what = `is ${quote(idle)}, which is longer than max_session_duration ${quote(max)}, so it never ends a session`
  return [{ path: ['idle_session_timeout'], what, hint: 'Use a shorter timeout, or remove it.' }]
}

/** Finds values in lists of certificate authorities that are neither certificates nor the authorities' IDs. */
function findOtherAuthorities({ mutual_tls_certificate_authorities: all }: Config): readonly Finding[] {
  return listOf(all).flatMap((each, at): readonly Finding[] => {
    if (typeof each !== 'string' || /^ca_\w+$|-----BEGIN|\$\{/.test(each)) return []
    const what = `is ${quote(each)}, which is neither a certificate as PEM nor the ID of a certificate authority`
    return [{ path: ['mutual_tls_certificate_authorities', at], what, hint: 'Write an ID that begins with ca_.' }]
  })
}
