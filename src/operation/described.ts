interface Described {
  readonly description?: string | undefined
  readonly metadata?: string | undefined
}

/**
 * `description` and `metadata` of a record after a request: the given ones, else the record's. An empty text sets
 * nothing where nothing was set before (rules: fields#absent-until-set).
 */
export function described(body: Described, record: Described = {}): Described {
  return {
    ...descriptionOf(record),
    ...(isSet(body.description, record.description) && { description: body.description }),
    ...(isSet(body.metadata, record.metadata) && { metadata: body.metadata }),
  }
}

function isSet(given: string | undefined, before: string | undefined): boolean {
  return given !== undefined && (given !== '' || before !== undefined)
}

/** `description` and `metadata` in a response: absent until they were set (rules: fields#absent-until-set). */
export function descriptionOf(record: Described): { description?: string; metadata?: string } {
  return {
    ...(record.description !== undefined && { description: record.description }),
    ...(record.metadata !== undefined && { metadata: record.metadata }),
  }
}
