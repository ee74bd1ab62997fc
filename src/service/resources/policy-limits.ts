/** The maximum number of rules in a traffic policy, by plan. Plans missing here are unlimited. */
export const RULES_OF_PLANS: Readonly<Record<string, number | undefined>> = { free: 5 }
