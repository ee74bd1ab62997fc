/** The names of the operations of calls, by family: `reservedDomains.create` is `reserved_domains.create`. */
export type NamesOf<Calls> = {
  [Family in keyof Calls & string]: `${SnakeCase<Family>}.${SnakeCase<keyof Calls[Family] & string>}`
}[keyof Calls & string]

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Text
