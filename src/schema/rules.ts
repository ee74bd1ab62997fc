/** The options of a gateway that change rules. Each family reads its own, by `ownPart`. */
export type Rules = object
