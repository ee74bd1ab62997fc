import { parse } from '@marcbachmann/cel-js'
import * as v from 'valibot'
import { quote } from '../contract/quote.ts'
import { anyObject, enabled, type Report, rule, ruleOnWhole } from '../contract/schema.ts'
import { actionConfigProblems } from './policy-action-configs.ts'
import { POLICY_ACTIONS } from './policy-actions.ts'
import { routeModule } from './route-module.ts'

const KNOWN: ReadonlySet<string> = new Set(POLICY_ACTIONS)
const ALLOWED = POLICY_ACTIONS.join(', ')

/** Actions that end the processing of a rule. */
const TERMINATING: ReadonlySet<string> = new Set(['deny', 'custom-response'])

const expression = v.pipe(
  v.string(),
  rule<string>((source, report) => {
    const problem = celProblem(source)
    if (problem) report('expression_invalid', { problem })
  }),
)

function celProblem(source: string): string | undefined {
  try {
    parse(source)
    return undefined
  } catch (error) {
    return (error as { summary?: string }).summary ?? 'it cannot be parsed'
  }
}

const actionFields = v.object({ type: v.string(), config: v.optional(anyObject()) })

const action = v.pipe(
  actionFields,
  ruleOnWhole<v.InferOutput<typeof actionFields>>(({ type, config: sent }, report, { unknownActions }) => {
    if (typeof type !== 'string') return
    if (!KNOWN.has(type) && unknownActions === 'refuse') {
      report('action_unknown', { allowed: ALLOWED }, { path: ['type'], value: type })
    }
    for (const { field, allowed, value } of actionConfigProblems(type, sent)) {
      report('action_config_invalid', { allowed }, { path: ['config', field], value })
    }
  }),
)

const ruleFields = v.object({
  name: v.optional(v.string()),
  expressions: v.optional(v.array(expression)),
  actions: v.optional(v.array(action), []),
})

const endpointRule = v.pipe(
  ruleFields,
  ruleOnWhole<v.InferOutput<typeof ruleFields>>(({ actions }, report) => {
    if (!Array.isArray(actions)) return
    if (actions.length === 0) report('rule_without_action', {}, { path: ['actions'], value: actions })
    else reportUnreachable(actions, report)
  }),
)

function reportUnreachable(actions: readonly unknown[], report: Report): void {
  const types = actions.map((each) => (each as { type?: unknown } | undefined)?.type)
  const last = types.findIndex((type) => typeof type === 'string' && TERMINATING.has(type))
  if (last === -1 || last + 1 === types.length) return
  const at = { path: ['actions', last + 1], value: types[last + 1] }
  report('action_unreachable', { received: quote(at.value), after: String(types[last]) } as never, at)
}

const shownRule = v.object({
  name: v.exactOptional(v.string()),
  expressions: v.exactOptional(v.array(v.string())),
  actions: v.array(v.object({ type: v.string(), config: v.exactOptional(v.record(v.string(), v.unknown())) })),
})

const rules = v.optional(v.array(endpointRule), [])

/** The traffic policy module: service document, "HTTPS edge route modules"; decisions, "Route modules". */
export const trafficPolicy = routeModule({
  name: 'traffic_policy',
  segment: 'policy',
  what: 'traffic policy',
  body: v.object({ enabled, inbound: rules, outbound: rules }),
  shape: v.object({ enabled: v.boolean(), inbound: v.array(shownRule), outbound: v.array(shownRule) }),
  settle: (body) => body as never,
})
