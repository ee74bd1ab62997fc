import { declareErrors, type FieldFacts, field, ofField } from '../../schema/errors.ts'

/** What can be wrong with the rules of a traffic policy. */
export const errors = declareErrors({
  expression_invalid: ofField(
    2200,
    400,
    (it: FieldFacts & { problem: string }) =>
      `${it.field} is ${it.received}, which is not CEL: ${it.problem}. A CEL expression is required.`,
  ),
  action_unknown: field(2201, 400, (it: { allowed: string }) => `one of ${it.allowed}`),
  action_config_invalid: field(2204, 400),
  rule_without_action: ofField(
    2206,
    400,
    (it: FieldFacts) => `${it.field} has no action. Every rule needs at least one.`,
  ),
  action_unreachable: ofField(
    2207,
    400,
    (it: FieldFacts & { after: string }) =>
      `${it.field} is ${it.received} and stands after "${it.after}", which ends the rule. Put a terminating action last.`,
  ),
})
