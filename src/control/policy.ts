import * as v from 'valibot'
import { documented, named } from '../core/schema/documentation.ts'
import { oneOfThese } from '../core/schema/options.ts'
import { count } from '../core/schema/record-schema.ts'
import { PLACES, PROTOCOLS } from '../service/policy/options.ts'
import { codeOfProblem } from '../service/policy/problem.ts'
import { type Control, controlCall } from './control.ts'

const sent = named(
  v.object({
    policy: documented(v.string(), 'The traffic policy, in YAML or JSON.'),
    protocol: v.exactOptional(documented(oneOfThese(PROTOCOLS), 'The protocol of the endpoint. Default: https.')),
    place: v.exactOptional(
      documented(oneOfThese(PLACES), 'The place where the policy is used. Default: any endpoint.'),
    ),
  }),
  'PolicyToCheck',
  'A traffic policy, and the context in which to check it.',
)

const problem = named(
  v.object({
    severity: documented(
      v.picklist(['error', 'warning']),
      'An error if the service rejects the policy; a warning if the policy is valid but probably does not do what you meant.',
    ),
    code: documented(v.string(), 'The error code, such as `ERR_NGROK_2203`, or the name of the warning.'),
    message: documented(v.string(), 'The message, with the value received and the values allowed.'),
    line: documented(count, 'The line of its first character, starting at 1.'),
    column: documented(count, 'The column of its first character, starting at 1.'),
    hint: v.exactOptional(documented(v.string(), 'How to fix it.')),
    docs: v.exactOptional(documented(v.string(), "The URL of the service's documentation.")),
  }),
  'PolicyProblem',
  'A problem in a traffic policy: the service rejects this part, or it probably does not do what was intended.',
)

const check = controlCall({
  method: 'POST',
  path: '/policy/check',
  summary: 'Check a traffic policy, like fauxgate policy check',
  from: 'body',
  schema: sent,
  response: v.array(problem),
  async run(_host, { policy, ...surroundings }) {
    // Loaded on first use, because most gateways don't check policies and the language is slow to load.
    const { checkPolicy } = await import('../service/policy/check-text.ts')
    return checkPolicy(policy, surroundings).map(({ severity, message, line, column, hint, docs, ...named }) => ({
      ...{ severity, message, line, column },
      code: codeOfProblem(named),
      ...(hint !== undefined && { hint }),
      ...(docs !== undefined && { docs }),
    }))
  },
})

export const policy: Control = { calls: [check] }
