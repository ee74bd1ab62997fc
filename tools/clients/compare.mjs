/** Returns the fields that are not blank: a client shows an absent field as null, "", 0, false or an empty list. */
export function removeBlanks(value) {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(removeBlanks)
  if (value === null || value === '' || value === 0 || value === false) return undefined
  if (typeof value !== 'object') return value
  const fields = Object.entries(value).flatMap(([name, each]) => {
    const inner = removeBlanks(each)
    return inner === undefined ? [] : [[name, inner]]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

/**
 * Returns the fields of a response that the client also knows: older clients do not know all fields. The journal has no
 * secrets, so that those of the client are not compared.
 */
export function pickKnownFields(truth, read) {
  if (truth === '[redacted]') return read
  if (truth === null || typeof truth !== 'object' || Array.isArray(truth)) return truth
  if (read === null || typeof read !== 'object') return truth
  const known = Object.entries(truth).filter(([name]) => name in read)
  return Object.fromEntries(known.map(([name, each]) => [name, pickKnownFields(each, read[name])]))
}
