import { variableOf } from '../action.ts'
import { PRESENTED } from './request-parts.ts'
import type { Warning } from './warning.ts'

export const notEnforced: Warning = {
  id: 'not-enforced',
  about: 'An action has `enforce: false`, or does not verify client certificates, and no expression reads its result.',
  reason:
    "With `enforce: false`, a check does not terminate traffic. Its result is available only in the action's variables, and `circuit-breaker` has none.",
  docs: 'https://ngrok.com/docs/traffic-policy/variables/action/',
  wrong: `on_http_request:
  - actions: [{ type: restrict-ips, config: { allow: [203.0.113.0/24], enforce: false } }]
`,
  right: `on_http_request:
  - actions: [{ type: restrict-ips, config: { allow: [203.0.113.0/24], enforce: false } }]
  - expressions: ["actions.ngrok.restrict_ips.action == 'deny'"]
    actions: [{ type: custom-response, config: { status_code: 404 } }]
`,
  find: ({ actions, expressions }) =>
    actions.flatMap(({ row, config, path }) => {
      const { mutual_tls_verification_strategy: strategy } = config
      const isAsked = strategy === 'request' || strategy === 'require-any'
      if (isAsked && !expressions.some(({ source }) => /\b(?:terminate_tls|conn\.tls)\.client\b/.test(source)))
        return [
          {
            path: [...path, 'config', 'mutual_tls_verification_strategy'],
            what: `is ${strategy}, and no expression reads the client's certificate, so clients without a valid one pass`,
            hint: 'Use require-and-verify, or read actions.ngrok.terminate_tls.client in a later rule.',
          },
        ]
      const variable = `actions.ngrok.${variableOf(row)}`
      const isRead = row.sets && expressions.some(({ source }) => source.replaceAll(PRESENTED, '').includes(variable))
      if (!('enforce' in row.config) || config.enforce !== false || isRead) return []
      if (expressions.some(({ source }) => source.includes(variable)))
        return [
          {
            path: [...path, 'config', 'enforce'],
            what: 'is false, and expressions read only whether there are credentials, so wrong credentials pass',
            hint: `Read ${variable}.credentials.authorized, or remove enforce: false.`,
          },
        ]
      const why = row.sets
        ? `, and no expression reads the result of ${row.type}, so all`
        : `, so ${row.type} rejects nothing, and all`
      const read = row.sets ? `, or read ${variable} in a later rule` : ''
      return [
        {
          path: [...path, 'config', 'enforce'],
          what: `is false${why} traffic passes`,
          hint: `Remove enforce: false${row.sets ? ' after your tests' : ''}${read}.`,
        },
      ]
    }),
}
