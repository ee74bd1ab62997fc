/** What numbers an error. */
export interface Numbered {
  /** Behind the dialect's prefix, the wire's `error_code`. */
  readonly number: number
  /** The HTTP status, unless a dialect has one of its own. */
  readonly status: number
}

/** An error as it is declared: its number and its status, and the message that it makes of its values. */
export interface Entry<Values> extends Numbered {
  /** Makes the message of the values that it speaks of. */
  readonly message: (values: Values) => string
}

/**
 * One error of the catalogue: a way in which a request can be refused. Its key is the same in every dialect; its number
 * becomes the wire's `error_code` behind the dialect's prefix.
 */
export interface CatalogueError<Key extends string = string, Values = never> extends Entry<Values> {
  /** The key, the same in every dialect. */
  readonly key: Key
}
