import { declareErrors, entry, ofField } from '../core/schema/errors.ts'

/** The errors for requests that the gateway cannot complete. */
export const refusals = declareErrors({
  traffic_fact_missing: entry(
    90450,
    400,
    (it: { path: string }) =>
      `The policy reads ${it.path}, which only the real service knows. Pass it: { from: { facts: { '${it.path}': … } } }.`,
  ),
  traffic_not_simulated: entry(
    90451,
    400,
    (it: { action: string }) =>
      `The action ${it.action} is not executed here. Supply its result: { from: { actions: { '${it.action}': { … } } } }.`,
  ),
  traffic_fact_unknown: ofField(90452, 400, '{field} is {received}, which is not a policy variable.{suggested}'),
})
