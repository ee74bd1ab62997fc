/** The maximum number of rules in a traffic policy, by plan. Plans that are missing here have no limit. */
export const RULES_OF_PLANS: Readonly<Record<string, number | undefined>> = { free: 5 }
