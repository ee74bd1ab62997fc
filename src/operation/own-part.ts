/**
 * How a family reads what is its own in something that all families share: the dialect, the rules of a gateway, or what
 * answers are shown with.
 *
 * @example
 * ```ts
 * const widgetRules = ownPart<{ readonly widgetsPerRegion: number }>()
 * const most = widgetRules(tx.rules).widgetsPerRegion
 * ```
 */
export function ownPart<Own extends object>(): (shared: object) => Own {
  // What is shared is made where all families are known, and its type there has the parts of all.
  return (shared) => shared as Own
}
