/** Where a refused value stands, and what was received there, as messages show both. */
export interface FieldFacts {
  readonly field: string
  readonly received: string
}

/** What numbers an error. */
export interface Numbered {
  readonly number: number
  /** The HTTP status, unless a dialect has one of its own. */
  readonly status: number
}

/** An error as it is declared: its number and its status, and the message that it makes of its values. */
export interface Entry<Values> extends Numbered {
  readonly message: (values: Values) => string
}

/** An error about one field, as it is declared. */
export interface FieldEntry<Own> extends Entry<Own & FieldFacts> {
  readonly ofField: true
}

/**
 * One error of the catalogue: a way in which a request can be refused. Its key is the same in every dialect; its number
 * becomes the wire's `error_code` behind the dialect's prefix.
 */
export interface CatalogueError<Key extends string = string, Values = never> extends Entry<Values> {
  readonly key: Key
}

/** An error about one field. Schemas and their rules report it; the field and what was received are added there. */
export interface FieldError<Key extends string = string, Own = never> extends CatalogueError<Key, Own & FieldFacts> {
  readonly ofField: true
}
