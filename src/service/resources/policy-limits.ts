/** The maximum number of rules in a traffic policy, by plan. A plan without a number has no limit. */
export const RULES_OF_PLANS: Readonly<Record<string, number | undefined>> = { free: 5 }
